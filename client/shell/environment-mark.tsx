import { Show } from 'solid-js'
import { environment } from '#client/api/account.ts'
import { t } from './messages.ts'

/** Which installation this is, above every page: a line that cannot be closed. Nothing where the installation has no name. */
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
