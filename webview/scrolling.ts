import { setShown } from "./dom";

/** How far from the end (pixels) still counts as being at the end: positions are not whole numbers on every screen. */
const NEAR_END = 2;

/**
 * Keeps the newest in view while the reader is at the end, and leaves the place alone from the first movement upwards until the
 * reader is back at the end or asks for the newest.
 */
export class Scrolling {
  private isFollowing = true;
  private last = 0;

  constructor(
    private readonly scroller: HTMLElement,
    content: HTMLElement,
    private readonly jump: HTMLElement,
    private readonly onMoved: (scrollTop: number | null) => void,
  ) {
    setShown(jump, false);
    scroller.addEventListener("wheel", (event) => this.wheeled(event), { passive: true });
    scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
    const sizes = new ResizeObserver(() => this.keepEnd());
    sizes.observe(content);
    sizes.observe(scroller);
  }

  /** Shows the newest and follows it from here on. */
  toEnd(): void {
    this.setFollowing(true);
    this.keepEnd();
  }

  /** Goes to a place that was left earlier (pixels from the start). */
  toPlace(scrollTop: number): void {
    this.setFollowing(false);
    this.scroller.scrollTop = scrollTop;
    this.last = this.scroller.scrollTop;
    if (this.isAtEnd()) this.setFollowing(true);
  }

  private wheeled(event: WheelEvent): void {
    // The scroll event comes only after the first movement; until then more text could pull the reader down.
    if (event.deltaY < 0 && this.scroller.scrollTop > 0) this.setFollowing(false);
  }

  private scrolled(): void {
    const { scrollTop } = this.scroller;
    if (scrollTop < this.last && !this.isAtEnd()) this.setFollowing(false);
    else if (scrollTop > this.last && this.isAtEnd()) this.setFollowing(true);
    this.last = scrollTop;
    this.onMoved(this.isFollowing ? null : scrollTop);
  }

  private keepEnd(): void {
    if (!this.isFollowing) return;
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.last = this.scroller.scrollTop;
  }

  private isAtEnd(): boolean {
    const { scrollTop, clientHeight, scrollHeight } = this.scroller;
    return scrollHeight - scrollTop - clientHeight <= NEAR_END;
  }

  private setFollowing(isFollowing: boolean): void {
    this.isFollowing = isFollowing;
    setShown(this.jump, !isFollowing);
  }
}
