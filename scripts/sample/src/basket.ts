import { findProduct, type Category, type Product } from "./menu";

export interface Line {
  readonly product: Product;
  readonly count: number;
}

/** What someone wants to buy. A basket is never changed: each step gives a new one. */
export interface Basket {
  readonly lines: readonly Line[];
  /** The name to call out when it is ready. */
  readonly customer: string;
}

/** More of one product than this is a matter for the telephone. */
export const largestCount = 40;

/** Adds `count` of a product to a basket; what was there of it already counts on. */
export function add(basket: Basket, id: string, count = 1): Basket {
  const product = findProduct(id);
  const line = basket.lines.find((candidate) => candidate.product.id === id);
  const total = (line?.count ?? 0) + count;
  if (!Number.isInteger(count) || count < 1)
    throw new RangeError(`The count must be 1 or more, not ${count}.`);
  if (total > largestCount) throw new RangeError(`Please call us for more than ${largestCount}.`);
  const others = basket.lines.filter((candidate) => candidate !== line);
  return { ...basket, lines: [...others, { product, count: total }] };
}

/** The sum of all lines in cents, before any discount. */
export function sumOf(basket: Basket): number {
  return basket.lines.reduce((sum, line) => sum + line.product.price * line.count, 0);
}

/** How many pieces of a category a basket holds. */
export function countOf(basket: Basket, category: Category): number {
  return basket.lines.reduce((sum, line) => sum + (line.product.category === category ? line.count : 0), 0);
}
