/** Choosing the dialect in which a request is shown, and what the conversion to it loses. */
import { type Accessor, createSignal, For, Match, Show, Switch } from 'solid-js'
import { t } from '#client/features/playground/messages/messages.ts'
import { readLocalStorage, writeLocalStorage } from '#client/ui/local-storage.ts'
import { type PreviewDialect, previewDialects, type RewrittenRequest } from './rewritten-request.ts'

/** Names, the same in every language. */
const names: Record<PreviewDialect, string> = { chat: 'Chat', responses: 'Responses', messages: 'Messages', gemini: 'Gemini' }

/** The dialect last chosen in this browser, and its setter. */
export function createDialectPreference(): [Accessor<PreviewDialect>, (dialect: PreviewDialect) => void] {
  const [dialect, setDialect] = createSignal<PreviewDialect>(previewDialects.find((one) => one === readLocalStorage('dialect')) ?? 'chat')
  return [
    dialect,
    (chosen) => {
      writeLocalStorage('dialect', chosen)
      setDialect(chosen)
    },
  ]
}

/** Buttons for the dialects. */
export function DialectChoice(props: { dialect: PreviewDialect; onChoose(dialect: PreviewDialect): void }) {
  return (
    <fieldset class="seg w-fit max-w-full" aria-label={t('protocol')}>
      <For each={previewDialects}>
        {(name) => (
          <button type="button" aria-pressed={props.dialect === name} onClick={() => props.onChoose(name)}>
            {names[name]}
          </button>
        )}
      </For>
    </fieldset>
  )
}

/** What the dialect drops or changes, or why it cannot express the request; nothing if there is no loss. */
export function DialectNotes(props: { rewritten: RewrittenRequest; dialect: PreviewDialect }) {
  const losses = () => (props.rewritten.state === 'ready' ? props.rewritten.losses : [])
  const refused = () => (props.rewritten.state === 'refused' ? props.rewritten : undefined)
  const failed = () => (props.rewritten.state === 'failed' ? props.rewritten : undefined)
  return (
    <Switch>
      <Match when={refused()}>
        {(one) => (
          <div class="notice bad">
            <b class="font-medium">{t('dialectRefuses', { dialect: names[props.dialect], field: one().field })}</b>{' '}
            <span lang="en">{one().reason}</span>
          </div>
        )}
      </Match>
      <Match when={failed()}>{(one) => <div class="notice bad">{t('previewFailed', { code: one().code })}</div>}</Match>
      <Match when={losses().length > 0}>
        <section class="notice warn" aria-label={t('lossesTitle')}>
          <b class="font-medium">{t('lossesTitle')}</b>
          <ul>
            <For each={losses()}>
              {(loss) => (
                <li>
                  <code>{loss.field}</code> {t(loss.what === 'adapted' ? 'lossAdapted' : 'lossDropped')}
                  <Show when={loss.reason}>
                    {': '}
                    <span lang="en">{loss.reason}</span>
                  </Show>
                </li>
              )}
            </For>
          </ul>
        </section>
      </Match>
    </Switch>
  )
}
