export type Category = "bread" | "roll" | "cake" | "drink";

export interface Product {
  readonly id: string;
  readonly name: string;
  readonly category: Category;
  /** In cents. */
  readonly price: number;
  /** Minutes from the order until it is ready; 0 is on the shelf. */
  readonly minutes: number;
}

export const menu: readonly Product[] = [
  { id: "rye", name: "Dark rye loaf", category: "bread", price: 480, minutes: 0 },
  { id: "spelt", name: "Spelt loaf", category: "bread", price: 520, minutes: 0 },
  { id: "sesame", name: "Sesame ring", category: "roll", price: 140, minutes: 10 },
  { id: "butter", name: "Butter roll", category: "roll", price: 160, minutes: 15 },
  { id: "plum", name: "Plum cake", category: "cake", price: 340, minutes: 0 },
  { id: "hazel", name: "Hazelnut torte", category: "cake", price: 3200, minutes: 240 },
  { id: "coffee", name: "Filter coffee", category: "drink", price: 250, minutes: 5 },
];

/** The product with this id. Throws with the ids that there are, since a wrong one is a typing error. */
export function findProduct(id: string): Product {
  const product = menu.find((candidate) => candidate.id === id);
  if (product) return product;
  throw new Error(`No product is called ${id}; there are ${menu.map((known) => known.id).join(", ")}.`);
}
