import { sumOf, type Basket } from "./basket";
import { discountsOf } from "./discounts";
import { readyAt } from "./pickup";

/** Characters in a line of the printer. */
const width = 36;

/** The share of value added tax that is already in the prices. */
const taxRate = 0.07;

/** The receipt of a basket as plain text, one line of the printer per line. */
export function printReceipt(basket: Basket, now: Date): string {
  const discounts = discountsOf(basket);
  const total = sumOf(basket) - discounts.reduce((sum, discount) => sum + discount.amount, 0);
  const tax = Math.round(total - total / (1 + taxRate));
  return [
    "Crumb, bakery since 1987",
    "-".repeat(width),
    ...basket.lines.map(({ product, count }) => columns(`${count} x ${product.name}`, product.price * count)),
    ...discounts.map(({ name, amount }) => columns(name, -amount)),
    "-".repeat(width),
    columns("Total", total),
    columns("of which tax", tax),
    "",
    `For ${basket.customer}, ready at ${readyAt(basket, now).toLocaleString("en-GB")}`,
    "Thank you",
  ].join("\n");
}

/** A text on the left and an amount in cents on the right; the text is cut when both do not fit. */
function columns(left: string, cents: number): string {
  const right = (cents / 100).toFixed(2);
  const space = width - right.length - 1;
  return `${left.slice(0, space).padEnd(space)} ${right}`;
}
