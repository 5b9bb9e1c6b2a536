/**
 * A mermaid diagram as an image: a worker draws it, and an `img` shows it, in which nothing runs and nothing is loaded. So the
 * content policy needs no exception, whatever the code contains.
 */
import { createResource, onCleanup, Show } from 'solid-js'
import { t } from '#client/features/playground/messages/messages.ts'
import { startWorker } from './worker-address.ts'

/** Timeout of one diagram, in milliseconds. */
const timeoutMs = 10_000
/** Longer code is not drawn. Characters. */
const mostCode = 20_000

/** The URL of the image; undefined if it cannot be drawn. */
function drawn(source: string, colours: { bg: string; fg: string }): Promise<string | undefined> {
  if (source.length > mostCode) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    let worker: Worker | undefined
    const end = (svg?: string) => {
      clearTimeout(timer)
      worker?.terminate()
      resolve(svg === undefined ? undefined : URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' })))
    }
    const timer = setTimeout(end, timeoutMs)
    try {
      worker = startWorker('diagram')
      worker.onmessage = ({ data }: MessageEvent<{ svg?: string }>) => end(data.svg)
      worker.onerror = () => end()
      worker.postMessage({ source, colours })
    } catch {
      end()
    }
  })
}

/** The diagram, in the colours of the page. */
export function Diagram(props: { code: string }) {
  let frame: HTMLDivElement | undefined
  const [address] = createResource(
    () => props.code,
    async (code) => {
      await Promise.resolve()
      const { backgroundColor: bg, color: fg } = getComputedStyle(frame as HTMLDivElement)
      return drawn(code, { bg, fg })
    },
  )
  onCleanup(() => {
    const made = address.latest
    if (made !== undefined) URL.revokeObjectURL(made)
  })
  return (
    <div ref={frame} class="diagram" aria-busy={address.loading ? 'true' : undefined}>
      <Show when={!address.loading} fallback={<p class="hint">{t('drawing')}</p>}>
        <Show when={address()} fallback={<p class="hint">{t('notDrawn')}</p>}>
          {(source) => <img src={source()} alt={t('diagramOf', { code: props.code.trim().split('\n').slice(0, 12).join(', ') })} />}
        </Show>
      </Show>
    </div>
  )
}
