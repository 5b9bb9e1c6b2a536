/** Takes events whose text is known together, as the relay does. */
import type { Run, SseCutter } from '#shared/sse'

/** Takes the next events; `endOf` returns where they end in the text of the chunk, or undefined. Undefined: there are none. */
export function eventsTaken(cutter: SseCutter, endOf: (text: string, from: number) => number | undefined): Run | undefined {
  const text = cutter.text()
  const end = text === undefined ? undefined : endOf(text, cutter.at)
  return end === undefined ? undefined : cutter.takeTo(end)
}
