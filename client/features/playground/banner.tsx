import { Match, Switch } from 'solid-js'
import { t } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { reachServer } from '#client/features/playground/state/reach.ts'
import { createOnline } from '#client/ui/browser-state.ts'
import { Button } from '#client/ui/button.tsx'

/** One line under the top bar about the whole page: offline, session ended, or a request edited by hand. */
export function Banner(props: { page: PageContext }) {
  const online = createOnline(reachServer)
  const { playground } = props.page
  return (
    <Switch>
      <Match when={!online()}>
        <p class="banner">{t('offlineBanner')}</p>
      </Match>
      <Match when={playground.lostSession()}>
        <p class="banner">
          {t('sessionBanner')}
          <Button size="sm" onClick={() => props.page.signIn()}>
            {t('signInAgain')}
          </Button>
        </p>
      </Match>
      <Match when={playground.rawRequest() !== null}>
        <p class="banner">
          {t('rawBanner')}
          <Button size="sm" onClick={() => playground.setRawRequest(null)}>
            {t('backToForm')}
          </Button>
        </p>
      </Match>
    </Switch>
  )
}
