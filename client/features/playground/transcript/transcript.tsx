/** The conversation on the screen. */
import { createMemo, For, Show } from 'solid-js'
import type { Actions } from '../actions.ts'
import type { Desk } from '../desk.ts'
import { say } from '../words.ts'

export function Transcript(props: { desk: Desk; actions: Actions }) {
  const ids = createMemo(() => props.desk.path().map((message) => message.id))
  return (
    <section class="talk" role="log" aria-live="off" aria-label={say('conversation')}>
      <div class="col pt-6">
        <For each={ids()}>
          {(id) => {
            const message = createMemo(() => props.desk.message(id))
            return (
              <Show when={message()}>
                {(one) => (
                  <article class="turn">
                    <span />
                    <div>
                      <div class="said">{one().text}</div>
                      <Show when={failure(one())}>{(code) => <p class="notice bad">{code()}</p>}</Show>
                    </div>
                  </article>
                )}
              </Show>
            )
          }}
        </For>
      </div>
    </section>
  )
}

const failure = (message: unknown) => {
  const one = message as { failure?: { code: string; message: string } | null }
  return one.failure ? `${one.failure.code}: ${one.failure.message}` : undefined
}
