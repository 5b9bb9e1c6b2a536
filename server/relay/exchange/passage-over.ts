/** A passage with some methods overridden. */
import type { Passage } from '#relay/contract/exchange'

/** The same passage with the methods of `own`. Its events are read one by one, so that none bypasses them. */
export function passageOver(passage: Passage, own: Partial<Passage>): Passage {
  const { textBytes, hasEndMarker } = passage
  return {
    push: (frame) => passage.push(frame),
    close: () => passage.close(),
    usage: () => passage.usage(),
    counted: () => passage.counted?.() ?? passage.usage(),
    ...(textBytes && { textBytes: () => textBytes.call(passage) }),
    ...(hasEndMarker && { hasEndMarker }),
    finished: () => passage.finished(),
    tier: () => passage.tier?.(),
    losses: () => passage.losses?.() ?? [],
    failure: (error) => passage.failure(error),
    ...own,
  }
}
