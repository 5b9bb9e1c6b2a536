/** The palette of charts: five colours in a fixed order and a grey for the rest, distinguishable by lightness alone. */

/** The names of the colours in the style sheet, in order; the last is for "Other". */
export const chartColours = ['--c1', '--c2', '--c3', '--c4', '--c5', '--c6'] as const

/** The colours as they are now, for drawing on a canvas. */
export function resolvedColours(): string[] {
  const probe = document.createElement('span')
  document.body.append(probe)
  const found = chartColours.map((name) => {
    probe.style.color = `var(${name})`
    return getComputedStyle(probe).color
  })
  probe.remove()
  return found
}

/** The value of a colour of the page, such as `--line`. */
export function pageColour(name: string): string {
  const probe = document.createElement('span')
  document.body.append(probe)
  probe.style.color = `var(${name})`
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
