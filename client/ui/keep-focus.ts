/** Keeps the focus from being lost: when the focused element is removed, a suitable successor gets it. Also focuses invalid fields. */

const controls = 'a[href], button, input, select, textarea, [tabindex]'
const faults = '[aria-invalid="true"], .notice.bad'
const headings = ':is(h1, h2, h3, h4)'
/** These restore the focus themselves, a moment after closing. */
const overlays = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]'

const heirs = new WeakMap<Element, () => HTMLElement | null | undefined>()

/** Sets what gets the focus if `element` has it when it is removed. If `heir` returns nothing, the default applies. */
export function whenGone(element: Element, heir: () => HTMLElement | null | undefined): void {
  heirs.set(element, heir)
}

/** Starts watching the focus. Only the ancestors of the focused element are observed, not the whole page. */
export function keepFocus(): void {
  let held: Element | undefined
  let around: Element[] = []
  const observer = new MutationObserver((records) => {
    if (held === undefined || held.isConnected) return
    const gone = held
    held = undefined
    if (document.activeElement !== document.body || [gone, ...around].some((one) => one.matches(overlays))) return
    const home = around.find((one) => one.isConnected)
    const next = heirs.get(gone)?.() ?? (home && successor(home, records))
    next?.focus({ preventScroll: true })
  })
  addEventListener('focusin', ({ target }) => {
    observer.disconnect()
    held = target instanceof Element ? target : undefined
    around = held ? ancestorsOf(held) : []
    for (const one of around) observer.observe(one, { childList: true })
  })
  // A click on empty space blurs it; a removed element is already gone when the microtask runs.
  addEventListener('focusout', () => queueMicrotask(() => held?.isConnected && document.activeElement === document.body && leave()))
  const leave = () => {
    held = undefined
  }
}

/** Marks errors and shows them: the first marked field gets the focus, a notice scrolls into view. False without a field. */
export function showFault(mark: () => void): boolean {
  const before = new Set(document.querySelectorAll(faults))
  mark()
  const marked = [...document.querySelectorAll<HTMLElement>(faults)].filter((one) => !before.has(one))
  const field = marked.find((one) => one.ariaInvalid === 'true')
  // Collapsed content cannot be focused.
  for (let fold = field?.closest('details'); fold; fold = fold.parentElement?.closest('details')) fold.open = true
  field?.focus({ preventScroll: true })
  const shown = field ?? marked[0]
  shown?.scrollIntoView({ block: 'nearest' })
  return field !== undefined
}

function ancestorsOf(element: Element): Element[] {
  const found: Element[] = []
  for (let one = element.parentElement; one; one = one.parentElement) found.push(one)
  return found
}

/**
 * What gets the focus when something in `home` was removed: what was put in its place; else, after a single control, the control
 * beside it; else the heading over it, or the region around it.
 */
function successor(home: Element, records: readonly MutationRecord[]): HTMLElement | undefined {
  const here = records.filter(({ target }) => target === home)
  const added = here.flatMap((record) => [...record.addedNodes]).filter((node) => node.parentNode === home)
  const removed = here.find(({ removedNodes }) => [...removedNodes].some((node) => node instanceof Element))
  const isControl = [...(removed?.removedNodes ?? [])].some((node) => node instanceof Element && node.matches(controls))
  const beside = isControl && removed ? [removed.nextSibling, removed.previousSibling] : []
  for (const node of [...added, ...beside]) {
    const found = node instanceof HTMLElement && node.isConnected ? firstIn(node) : undefined
    if (found) return found
  }
  return placeOver(home)
}

/** The content of a page, a heading, or the first control in `root`, itself included. */
function firstIn(root: HTMLElement): HTMLElement | undefined {
  if (root.matches(controls) && isSeen(root)) return root
  const found = ['#content', headings, controls].flatMap((which) =>
    [...root.querySelectorAll<HTMLElement>(which)].filter(isSeen).slice(0, 1),
  )
  return found[0] && focusable(found[0])
}

/** The heading over `home`, or the nearest region around it that takes the focus. */
function placeOver(home: Element): HTMLElement | undefined {
  for (const one of [home, ...ancestorsOf(home)]) {
    if (one instanceof HTMLElement && one.matches('[tabindex]')) return one
    const heading = one.querySelector<HTMLElement>(`:scope > ${headings}, :scope > header ${headings}`)
    if (heading && isSeen(heading)) return focusable(heading)
  }
  return undefined
}

const isSeen = (element: HTMLElement) => element.checkVisibility()

/** Makes headings focusable. */
function focusable(element: HTMLElement): HTMLElement {
  if (!element.matches(controls)) element.tabIndex = -1
  return element
}
