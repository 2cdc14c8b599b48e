import type { Basket } from "./basket";

/** Opening and closing time in minutes after midnight. */
type Hours = readonly [opens: number, closes: number];

const workday: Hours = [6 * 60 + 30, 18 * 60];
const saturday: Hours = [7 * 60, 13 * 60];

/** By day of the week, Sunday first; undefined is a day on which the shop is closed. */
const week = [undefined, undefined, workday, workday, workday, workday, saturday];

/** The minutes that a basket needs: the slowest product counts, and every ten pieces add five minutes. */
export function preparationOf(basket: Basket): number {
  const slowest = Math.max(0, ...basket.lines.map((line) => line.product.minutes));
  const pieces = basket.lines.reduce((sum, line) => sum + line.count, 0);
  return slowest + Math.floor(pieces / 10) * 5;
}

/** When an order that comes in at `now` is ready; after closing time it is begun when the shop opens next. */
export function readyAt(basket: Basket, now: Date): Date {
  const minutes = preparationOf(basket);
  for (let day = 0; day <= 7; day++) {
    const time = new Date(now);
    time.setDate(time.getDate() + day);
    const hours = week[time.getDay()];
    if (!hours) continue;
    const [opens, closes] = hours;
    const begin = day === 0 ? Math.max(opens, now.getHours() * 60 + now.getMinutes()) : opens;
    if (begin + minutes > closes) continue;
    time.setHours(0, begin + minutes, 0, 0);
    return time;
  }
  throw new Error(`No day is long enough for ${minutes} minutes of baking.`);
}
