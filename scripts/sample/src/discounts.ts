import { countOf, sumOf, type Basket } from "./basket";

/** A rule that makes a basket cheaper. */
export interface Discount {
  readonly name: string;
  /** How much it takes off, in cents; 0 when it does not apply. */
  readonly amount: (basket: Basket, at: Date) => number;
}

/** The thirteenth roll is free, and the twenty-sixth, and so on: the cheapest ones are given away. */
const bakersDozen: Discount = {
  name: "Baker's dozen",
  amount(basket) {
    const free = Math.floor(countOf(basket, "roll") / 13);
    const prices = basket.lines
      .filter((line) => line.product.category === "roll")
      .flatMap((line) => Array.from({ length: line.count }, () => line.product.price))
      .toSorted((left, right) => left - right);
    return prices.slice(0, free).reduce((sum, price) => sum + price, 0);
  },
};

/** In the last hour before closing, bread costs a third less. */
const lastHour: Discount = {
  name: "Last hour",
  amount(basket, at) {
    if (at.getHours() < 17) return 0;
    const bread = basket.lines.filter((line) => line.product.category === "bread");
    const sum = bread.reduce((total, line) => total + line.product.price * line.count, 0);
    return Math.round(sum / 3);
  },
};

/** A drink with a piece of cake is one euro cheaper, once for each pair. */
const coffeeAndCake: Discount = {
  name: "Coffee and cake",
  amount(basket) {
    const pairs = Math.min(countOf(basket, "drink"), countOf(basket, "cake"));
    return pairs * 100;
  },
};

export const discounts: readonly Discount[] = [bakersDozen, lastHour, coffeeAndCake];

/** A discount that applies to a basket, with its amount in cents. */
export interface Applied {
  readonly name: string;
  readonly amount: number;
}

/**
 * The discounts that apply, largest first. They add up, but never to more than half of the basket: what goes beyond is
 * cut from the smallest ones.
 */
export function applyDiscounts(basket: Basket, at: Date): readonly Applied[] {
  let left = Math.floor(sumOf(basket) / 2);
  return discounts
    .map(({ name, amount }) => ({ name, amount: amount(basket, at) }))
    .toSorted((one, other) => other.amount - one.amount)
    .map(({ name, amount }) => {
      const granted = Math.min(amount, left);
      left -= granted;
      return { name, amount: granted };
    })
    .filter(({ amount }) => amount > 0);
}
