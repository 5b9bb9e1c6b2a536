/** One line under the top bar for what concerns the whole page: no network, session ended, a request edited by hand. */
import { Match, Switch } from 'solid-js'
import { say } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { createOnline } from '#client/ui/browser-state.ts'
import { Button } from '#client/ui/button.tsx'

export function Banner(props: { bench: PageContext }) {
  const online = createOnline()
  const { desk } = props.bench
  return (
    <Switch>
      <Match when={!online()}>
        <p class="banner">{say('offlineBanner')}</p>
      </Match>
      <Match when={desk.lostSession()}>
        <p class="banner">
          {say('sessionBanner')}
          <Button size="sm" onClick={() => props.bench.signIn()}>
            {say('signInAgain')}
          </Button>
        </p>
      </Match>
      <Match when={desk.rawRequest() !== null}>
        <p class="banner">
          {say('rawBanner')}
          <Button size="sm" onClick={() => desk.setRawRequest(null)}>
            {say('backToForm')}
          </Button>
        </p>
      </Match>
    </Switch>
  )
}
