/** 25 updates a second, as in a film, are enough for reading. */
const minGapMs = 40
const maxGapMs = 150
/** Half a frame: the average wait for the next one. */
const earlyMs = 8
/** Rendering may take one part in this many of the page's time. */
const restPerWork = 10

/**
 * Runs `work` in an animation frame, once for any number of commits, and never in two successive frames. Where `work` is slow
 * (a slow machine, a long table) the gap grows, so that the page stays responsive. Hidden pages get no frames, so a timer
 * takes over.
 */
export function throttleToFrames(work: () => void): { commit(): void; cancel(): void } {
  let frame = 0
  let ranAt = 0
  let gapMs = minGapMs
  let rest: ReturnType<typeof setTimeout> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const cancel = () => {
    cancelAnimationFrame(frame)
    clearTimeout(rest)
    clearTimeout(timer)
    frame = 0
    timer = undefined
  }
  /** Runs in the first task after the frame, when layout and paint are done. */
  const measure = () => {
    const wanted = Math.min(maxGapMs, Math.max(minGapMs, (performance.now() - ranAt) * restPerWork))
    gapMs = (gapMs + wanted) / 2
  }
  const run = () => {
    cancel()
    ranAt = performance.now()
    work()
    if (!document.hidden) setTimeout(measure)
  }
  /** Requests a frame once the gap is over: a requested frame that is not used would be drawn for nothing. */
  const askFrame = () => {
    const left = ranAt + gapMs - performance.now()
    if (left > earlyMs) rest = setTimeout(askFrame, left - earlyMs)
    else frame = requestAnimationFrame(run)
  }
  return {
    commit() {
      if (timer !== undefined) return
      if (!document.hidden) askFrame()
      timer = setTimeout(run, 250)
    },
    cancel,
  }
}
