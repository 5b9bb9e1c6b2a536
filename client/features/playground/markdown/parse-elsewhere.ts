/**
 * Long blocks of markdown are parsed by a worker, one at a time. A block that takes too long is abandoned with its worker: whatever a model
 * writes, the page stays responsive.
 */
import { startWorker } from './worker-address.ts'

/** Timeout of one block, in milliseconds. */
const timeoutMs = 2_000

interface Waiting {
  source: string
  give(html: string | undefined): void
}

const queue: Waiting[] = []
let worker: Worker | undefined
let busy: Waiting | undefined
let timer: ReturnType<typeof setTimeout> | undefined

/** The HTML, unsafe until sanitised; undefined if it takes too long or nests too deep, or if there are no workers. */
export const parsedElsewhere = (source: string): Promise<string | undefined> =>
  new Promise((give) => {
    queue.push({ source, give })
    serve()
  })

function serve(): void {
  if (busy) return
  busy = queue.shift()
  if (!busy) return
  timer = setTimeout(giveUp, timeoutMs)
  try {
    worker ??= started()
    worker.postMessage({ id: 0, source: busy.source })
  } catch {
    giveUp()
  }
}

function answered(html: string | undefined): void {
  clearTimeout(timer)
  const done = busy
  busy = undefined
  done?.give(html)
  serve()
}

function giveUp(): void {
  worker?.terminate()
  worker = undefined
  answered(undefined)
}

function started(): Worker {
  const made = startWorker('parse')
  made.onmessage = ({ data }: MessageEvent<{ html: string | undefined }>) => made === worker && answered(data.html)
  made.onerror = () => made === worker && giveUp()
  return made
}
