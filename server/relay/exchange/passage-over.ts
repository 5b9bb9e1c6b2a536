/** A passage of which something is done in another way. */
import type { Passage } from '#relay/contract/exchange'

/** The same passage but for `own`. Its events are read one by one: nothing passes unseen. */
export function passageOver(passage: Passage, own: Partial<Passage>): Passage {
  const { heard, saysItsEnd } = passage
  return {
    push: (frame) => passage.push(frame),
    close: () => passage.close(),
    usage: () => passage.usage(),
    counted: () => passage.counted?.() ?? passage.usage(),
    ...(heard && { heard: () => heard.call(passage) }),
    ...(saysItsEnd && { saysItsEnd }),
    finished: () => passage.finished(),
    tier: () => passage.tier?.(),
    losses: () => passage.losses?.() ?? [],
    failure: (error) => passage.failure(error),
    ...own,
  }
}
