import { isFreeOf, sumOf, type Basket, type Line } from "./basket";
import { applyDiscounts } from "./discounts";
import type { Allergen } from "./menu";
import { pickupTime, sayTime } from "./pickup";

/** Characters in a line of the printer. */
const width = 36;

/** The share of value added tax that is already in the prices. */
const taxRate = 0.07;

export interface ReceiptOptions {
  /** When the order was made. */
  readonly at: Date;
  /** Orders that were made before it and are not ready. */
  readonly waiting: number;
  /** What the customer asked to avoid. */
  readonly avoided?: readonly Allergen[];
}

/** The receipt of a basket as plain text, one line of the printer per line. */
export function printReceipt(basket: Basket, options: ReceiptOptions): string {
  const discounts = applyDiscounts(basket, options.at);
  const off = discounts.reduce((sum, discount) => sum + discount.amount, 0);
  const total = sumOf(basket) - off;
  const tax = Math.round(total - total / (1 + taxRate));
  return [
    center("CRUMB"),
    center("bakery since 1987"),
    "-".repeat(width),
    ...basket.lines.map(printLine),
    ...discounts.map(({ name, amount }) => columns(name, `-${money(amount)}`)),
    "-".repeat(width),
    columns("Total", money(total)),
    columns(`of which tax ${Math.round(taxRate * 100)} %`, money(tax)),
    "",
    columns(`Ready for ${basket.customer}`, sayTime(pickupTime(basket, options.at, options.waiting))),
    ...(options.avoided ?? []).filter((allergen) => !isFreeOf(basket, allergen)).map(warn),
    center("Thank you"),
  ].join("\n");
}

function printLine({ product, count }: Line): string {
  return columns(`${count} x ${product.name}`, money(product.price * count));
}

function warn(allergen: Allergen): string {
  return center(`! contains ${allergen} !`);
}

/** Cents as euros: 1234 is "12.34". */
export function money(cents: number): string {
  return (cents / 100).toFixed(2);
}

function center(text: string): string {
  return " ".repeat(Math.max(0, Math.floor((width - text.length) / 2))) + text;
}

/** A text on the left and one on the right; the left one is cut when both do not fit. */
function columns(left: string, right: string): string {
  const space = width - right.length - 1;
  return `${left.slice(0, space).padEnd(space)} ${right}`;
}
