import { findProduct, type Category, type Product } from "./menu";

/** One product in a basket. */
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

export function emptyBasket(customer: string): Basket {
  return { lines: [], customer: customer.trim() };
}

/** Adds `count` of a product to a basket; what was there of it already counts on. */
export function add(basket: Basket, id: string, count = 1): Basket {
  const product = findProduct(id);
  const line = basket.lines.find((candidate) => candidate.product.id === id);
  const total = (line?.count ?? 0) + count;
  if (!Number.isInteger(count) || count < 1)
    throw new RangeError(`The count must be 1 or more, not ${count}.`);
  if (total > largestCount)
    throw new RangeError(`Please call us for more than ${largestCount} of ${product.name}.`);
  const others = basket.lines.filter((candidate) => candidate !== line);
  return { ...basket, lines: [...others, { product, count: total }] };
}

/** Takes `count` of a product out of a basket, or all of it when no count is given. */
export function remove(basket: Basket, id: string, count = Infinity): Basket {
  const lines = basket.lines.flatMap((line) => {
    if (line.product.id !== id) return [line];
    const left = line.count - count;
    return left > 0 ? [{ ...line, count: left }] : [];
  });
  return { ...basket, lines };
}

/** The sum of all lines in cents, before any discount. */
export function sumOf(basket: Basket): number {
  return basket.lines.reduce((sum, line) => sum + line.product.price * line.count, 0);
}

/** How many pieces of a category a basket holds. */
export function countOf(basket: Basket, category: Category): number {
  return basket.lines
    .filter((line) => line.product.category === category)
    .reduce((sum, line) => sum + line.count, 0);
}

/** True when someone who must avoid an allergen can eat all of it. */
export function isFreeOf(basket: Basket, allergen: Product["allergens"][number]): boolean {
  return basket.lines.every((line) => !line.product.allergens.includes(allergen));
}
