import { Show } from 'solid-js'
import { environment } from '#client/api/account.ts'
import { t } from './messages.ts'

/** The name of this installation above every page, not closable. Nothing if it has no name. */
export function EnvironmentMark() {
  return (
    <Show when={environment()}>
      {(name) => (
        <section class="environment-mark" aria-label={t('environment')}>
          {name()}
        </section>
      )}
    </Show>
  )
}
