/** What pages show of a load: grey bars, the content, or the error with a retry button. */
import { type Accessor, type JSX, Show } from 'solid-js'
import type { ApiError } from '#client/api/http.ts'
import { Empty, Failure, Skeleton } from '#client/ui/console/states.tsx'
import { detailOf, explain } from './explain.ts'
import type { Load } from './load.ts'
import type { Write } from './write.ts'

type Failing = Pick<Load<unknown>, 'error' | 'reload'>

/** The content, once there is a value. `missing` replaces the error when there is no such row, and links to the list. */
export function WhenLoaded<Value>(props: {
  of: Failing & Pick<Load<Value>, 'value'>
  /** How many grey bars. */
  lines?: number
  missing?: { title: string; why: string; href: string; toList: string }
  children: (value: Accessor<NonNullable<Value>>) => JSX.Element
}) {
  const missing = () => (props.of.error()?.code === 'not_found' ? props.missing : undefined)
  return (
    <Show
      when={props.of.value()}
      fallback={
        <Show when={props.of.error()} fallback={<Skeleton lines={props.lines} />}>
          <Show when={missing()} fallback={<LoadFailure of={props.of} />}>
            {(texts) => (
              <Empty
                title={texts().title}
                action={
                  <a class="btn" href={texts().href}>
                    {texts().toList}
                  </a>
                }
              >
                {texts().why}
              </Empty>
            )}
          </Show>
        </Show>
      }
    >
      {(value) => props.children(value)}
    </Show>
  )
}

/** The error of a load, if there is one. `onRetry` replaces loading again. */
export function LoadFailure(props: { of: Failing; onRetry?: (() => void) | undefined }) {
  return (
    <Show when={props.of.error()}>{(error) => <Retry error={error()} onRetry={props.onRetry ?? (() => void props.of.reload())} />}</Show>
  )
}

/** In a card without padding: the error of a write, or of the load. */
export function CardFailure(props: { of: Failing; write: Pick<Write, 'error'> }) {
  return (
    <Show when={props.write.error() ?? props.of.error()}>
      {(error) => (
        <div class="p-4">
          <Retry error={error()} onRetry={() => void props.of.reload()} />
        </div>
      )}
    </Show>
  )
}

const Retry = (props: { error: ApiError; onRetry(): void }) => (
  <Failure text={explain(props.error)} detail={detailOf(props.error)} onRetry={() => props.onRetry()} />
)
