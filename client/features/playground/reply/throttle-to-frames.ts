/** Just under two frames of a usual screen: nobody reads faster. */
const minGapMs = 28
const maxGapMs = 150
/** What is drawn may take one part in so many of the page's time. */
const restPerWork = 6

/**
 * Runs `work` in a frame, once for any number of commits, and never in two frames running. Where a frame is dear (a slow
 * machine, a long table) they come further apart, so that the page stays free for the reader. A hidden page has no frames,
 * so a timer stands in.
 */
export function throttleToFrames(work: () => void): { commit(): void; cancel(): void } {
  let frame = 0
  let ranAt = 0
  let gapMs = minGapMs
  let timer: ReturnType<typeof setTimeout> | undefined
  const cancel = () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
    frame = 0
    timer = undefined
  }
  /** The first task after a frame begins when the frame is laid out and painted. */
  const weigh = () => {
    const wanted = Math.min(maxGapMs, Math.max(minGapMs, (performance.now() - ranAt) * restPerWork))
    gapMs = (gapMs + wanted) / 2
  }
  const run = () => {
    cancel()
    ranAt = performance.now()
    work()
    if (!document.hidden) setTimeout(weigh)
  }
  const onFrame = () => {
    if (performance.now() - ranAt < gapMs) frame = requestAnimationFrame(onFrame)
    else run()
  }
  return {
    commit() {
      if (frame !== 0 || timer !== undefined) return
      if (!document.hidden) frame = requestAnimationFrame(onFrame)
      timer = setTimeout(run, 250)
    },
    cancel,
  }
}
