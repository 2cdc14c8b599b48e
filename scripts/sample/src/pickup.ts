import type { Basket } from "./basket";

/** Minutes after midnight. */
type Minutes = number;

interface Hours {
  readonly opens: Minutes;
  readonly closes: Minutes;
}

const workday: Hours = { opens: 6 * 60 + 30, closes: 18 * 60 };
const saturday: Hours = { opens: 7 * 60, closes: 13 * 60 };

/** The opening hours by day of the week, Sunday first; undefined is a day on which the shop is closed. */
const week: readonly (Hours | undefined)[] = [
  undefined,
  undefined,
  workday,
  workday,
  workday,
  workday,
  saturday,
];

/** The ovens hold four orders at a time; each further one waits for a place. */
const ovens = 4;

/** How long the bakers need for a basket: the slowest product counts, and every ten pieces add five minutes. */
export function preparationMinutes(basket: Basket): Minutes {
  const slowest = Math.max(0, ...basket.lines.map((line) => line.product.minutes));
  const pieces = basket.lines.reduce((sum, line) => sum + line.count, 0);
  return slowest + Math.floor(pieces / 10) * 5;
}

/**
 * The first time at which an order can be picked up that comes in at `now` behind `waiting` others. An order that can't
 * be ready before closing is begun when the shop opens next.
 */
export function pickupTime(basket: Basket, now: Date, waiting: number): Date {
  const minutes = preparationMinutes(basket) + Math.floor(waiting / ovens) * 15;
  for (let day = 0; day <= 7; day++) {
    const start = new Date(now);
    start.setDate(start.getDate() + day);
    const hours = week[start.getDay()];
    if (!hours) continue;
    const begin = day === 0 ? Math.max(hours.opens, minuteOf(now)) : hours.opens;
    if (begin + minutes > hours.closes) continue;
    start.setHours(0, begin + minutes, 0, 0);
    return start;
  }
  throw new Error(`No day is long enough for ${minutes} minutes of baking.`);
}

function minuteOf(time: Date): Minutes {
  return time.getHours() * 60 + time.getMinutes();
}

/** A time as the shop says it: "Tue 09:15". */
export function sayTime(time: Date): string {
  const names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${names[time.getDay()] ?? ""} ${two(time.getHours())}:${two(time.getMinutes())}`;
}
