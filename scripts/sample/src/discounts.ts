import { countOf, sumOf, type Basket } from "./basket";

export interface Discount {
  readonly name: string;
  /** In cents. */
  readonly amount: number;
}

/** The thirteenth roll is free, and the twenty-sixth, and so on: the cheapest ones are given away. */
function bakersDozen(basket: Basket): number {
  const prices = basket.lines
    .filter((line) => line.product.category === "roll")
    .flatMap((line) => Array.from({ length: line.count }, () => line.product.price))
    .toSorted((left, right) => left - right);
  return prices.slice(0, Math.floor(prices.length / 13)).reduce((sum, price) => sum + price, 0);
}

/** A drink with a piece of cake is one euro cheaper, once for each pair. */
function coffeeAndCake(basket: Basket): number {
  return Math.min(countOf(basket, "drink"), countOf(basket, "cake")) * 100;
}

/**
 * The discounts that a basket gets. They add up, but never to more than half of its sum: what goes beyond is cut from
 * the last ones.
 */
export function discountsOf(basket: Basket): readonly Discount[] {
  let left = Math.floor(sumOf(basket) / 2);
  const wanted = [
    { name: "Baker's dozen", amount: bakersDozen(basket) },
    { name: "Coffee and cake", amount: coffeeAndCake(basket) },
  ];
  return wanted.flatMap(({ name, amount }) => {
    const granted = Math.min(amount, left);
    left -= granted;
    return granted > 0 ? [{ name, amount: granted }] : [];
  });
}
