/** What a product may contain that some people must not eat. */
export type Allergen = "wheat" | "milk" | "egg" | "nuts" | "sesame";

export type Category = "bread" | "roll" | "cake" | "drink";

export interface Product {
  readonly id: string;
  readonly name: string;
  readonly category: Category;
  /** In cents. */
  readonly price: number;
  /** Minutes from the order until it is ready; 0 is on the shelf. */
  readonly minutes: number;
  readonly allergens: readonly Allergen[];
}

export const menu: readonly Product[] = [
  { id: "rye", name: "Dark rye loaf", category: "bread", price: 480, minutes: 0, allergens: ["wheat"] },
  { id: "spelt", name: "Spelt loaf", category: "bread", price: 520, minutes: 0, allergens: ["wheat"] },
  {
    id: "sesame",
    name: "Sesame ring",
    category: "roll",
    price: 140,
    minutes: 10,
    allergens: ["wheat", "sesame"],
  },
  { id: "poppy", name: "Poppy roll", category: "roll", price: 110, minutes: 10, allergens: ["wheat"] },
  {
    id: "butter",
    name: "Butter roll",
    category: "roll",
    price: 160,
    minutes: 15,
    allergens: ["wheat", "milk"],
  },
  {
    id: "plum",
    name: "Plum cake",
    category: "cake",
    price: 340,
    minutes: 0,
    allergens: ["wheat", "egg", "milk"],
  },
  {
    id: "hazel",
    name: "Hazelnut torte",
    category: "cake",
    price: 3200,
    minutes: 240,
    allergens: ["egg", "nuts"],
  },
  { id: "lemon", name: "Lemon tart", category: "cake", price: 390, minutes: 30, allergens: ["wheat", "egg"] },
  { id: "coffee", name: "Filter coffee", category: "drink", price: 250, minutes: 5, allergens: [] },
  { id: "cocoa", name: "Cocoa", category: "drink", price: 310, minutes: 5, allergens: ["milk"] },
];

/** The product with this id. Throws with the ids that there are, since a wrong one is a typing error. */
export function findProduct(id: string): Product {
  const product = menu.find((candidate) => candidate.id === id);
  if (product) return product;
  throw new Error(`No product is called ${id}; there are ${menu.map((known) => known.id).join(", ")}.`);
}

/** What someone can eat who must avoid all of `avoided`, cheapest first. */
export function withoutAllergens(avoided: readonly Allergen[]): readonly Product[] {
  return menu
    .filter((product) => !product.allergens.some((allergen) => avoided.includes(allergen)))
    .toSorted((left, right) => left.price - right.price);
}
