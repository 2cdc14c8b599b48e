import type { Page } from "playwright-core";

/** How well a piece of text stands out from what is behind it: WCAG's ratio, from 1 to 21. */
export interface Contrast {
  readonly text: string;
  readonly colours: string;
  readonly ratio: number;
}

/**
 * The contrast of every visible text on the page, also inside the toolkit's elements, with translucent colours laid over each
 * other. Switched-off controls are left out, as WCAG does.
 */
export async function contrasts(page: Page): Promise<Contrast[]> {
  return page.evaluate(() => {
    type Colour = readonly [number, number, number, number];
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const parse = (text: string): Colour => {
      if (canvas === null) throw new Error("There is no canvas.");
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = text;
      canvas.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0, alpha = 0] = canvas.getImageData(0, 0, 1, 1).data;
      return [red, green, blue, alpha / 255];
    };
    const over = (top: Colour, under: Colour): Colour => {
      const mix = (a: number, b: number) => a * top[3] + b * (1 - top[3]);
      return [mix(top[0], under[0]), mix(top[1], under[1]), mix(top[2], under[2]), 1];
    };
    const luminance = ([red, green, blue]: Colour): number => {
      const linear = (value: number) => {
        const share = value / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      };
      return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
    };
    const parentOf = (element: Element): Element | null => {
      const root = element.getRootNode();
      return element.assignedSlot ?? element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
    };
    const behind = (element: Element): Colour => {
      const layers: Colour[] = [];
      for (let at: Element | null = element; at !== null; at = parentOf(at)) {
        layers.push(parse(getComputedStyle(at).backgroundColor));
      }
      return layers.reduceRight((under, layer) => over(layer, under), [255, 255, 255, 1]);
    };
    const found: { text: string; colours: string; ratio: number }[] = [];
    const measure = (element: Element, text: string, colour: string) => {
      const background = behind(element);
      const front = over(parse(colour), background);
      const [light, dark] = [luminance(front), luminance(background)].sort((a, b) => b - a);
      const ratio = ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
      found.push({ text, colours: `${front.join(" ")} on ${background.join(" ")}`, ratio });
    };
    const visit = (root: Document | ShadowRoot) => {
      for (const element of root.querySelectorAll("*")) {
        if (element.shadowRoot) visit(element.shadowRoot);
        const isShown = element.checkVisibility({ visibilityProperty: true });
        if (!isShown || element.closest("[disabled], .visually-hidden, script, style") !== null) continue;
        const style = getComputedStyle(element);
        const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
        const text = own
          .map((node) => node.textContent ?? "")
          .join("")
          .trim();
        if (text !== "" && style.clipPath === "none") measure(element, text, style.color);
        if (element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement) {
          const placeholder = getComputedStyle(element, "::placeholder").color;
          if (element.placeholder !== "") measure(element, element.placeholder, placeholder);
        }
      }
    };
    visit(document);
    return found;
  });
}
