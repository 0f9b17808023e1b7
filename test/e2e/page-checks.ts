/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** What is asked within a page. Each function is sent there as text, and so names nothing outside of itself. */

/** Every text with the contrast of its colour against what lies behind it (WCAG 2.2). */
export function contrasts(): readonly { readonly text: string; readonly ratio: number }[] {
  const channels = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (colour: string) => {
    const [red = 0, green = 0, blue = 0] = channels(colour)
      .slice(0, 3)
      .map((value) => value / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element: Element | null): string => {
    for (let one = element; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (channels(colour)[3] !== 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const seen = new Map<string, { text: string; ratio: number }>();
  for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes]
      .filter(({ nodeType }) => nodeType === 3)
      .map(({ textContent }) => textContent)
      .join("")
      .trim();
    if (!text || /^(title|desc|caption)$/i.test(element.tagName)) continue;
    const style = getComputedStyle(element);
    const colour = element instanceof SVGElement ? style.fill : style.color;
    const [light, dark] = [luminance(colour), luminance(behind(element))].sort((left, right) => right - left) as [
      number,
      number,
    ];
    seen.set(`${element.tagName} ${colour} ${text}`, { text, ratio: (light + 0.05) / (dark + 0.05) });
  }
  return [...seen.values()];
}

/** Texts that take no room: hidden, or cut off by what they stand in. A caption repeats its heading. */
export function hiddenTexts(): readonly string[] {
  return [...document.querySelectorAll("body *")]
    .filter((element) => element.childElementCount === 0 && element.textContent?.trim())
    .filter((element) => !/^(title|desc|caption)$/i.test(element.tagName))
    .filter((element) => {
      const { width, height } = element.getBoundingClientRect();
      return width < 2 || height < 2 || getComputedStyle(element).visibility !== "visible";
    })
    .map((element) => `${element.tagName}: ${element.textContent}`);
}

/** What stands out of the page to the right. */
export function tooWide(): readonly string[] {
  const { clientWidth } = document.documentElement;
  return [...document.querySelectorAll("body *")]
    .filter((element) => !element.closest("thead, caption") && element.getBoundingClientRect().right > clientWidth + 1)
    .map((element) => `${element.tagName}: ${element.textContent?.slice(0, 60)}`);
}
