/** Formulas. KaTeX, its styles and fonts are loaded with the first formula. */
/**
 * Renders every formula below `root`. A formula that KaTeX does not understand stays as it was written. Rejects when KaTeX
 * cannot be loaded.
 */
export async function drawMath(root: ParentNode): Promise<void> {
  const places = root.querySelectorAll<HTMLElement>('[data-math]:not([data-drawn])')
  if (places.length === 0) return
  const [{ default: katex }] = await Promise.all([import('katex'), import('katex/dist/katex.min.css')])
  for (const place of places) {
    if (place.dataset.drawn !== undefined) continue
    const source = place.textContent ?? ''
    place.dataset.drawn = ''
    try {
      const displayMode = place.dataset.math === 'block'
      katex.render(source, place, { displayMode, throwOnError: true, trust: false, strict: 'ignore', maxExpand: 1000, maxSize: 50 })
    } catch {
      place.textContent = source
    }
  }
}
