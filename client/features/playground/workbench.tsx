/** The screen: list at the left, conversation in the middle, one panel at the right. */
import { createMemo, Show } from 'solid-js'
import { signOut } from '#client/api/account.ts'
import { Icon } from '#client/ui/icon.tsx'
import { Brand } from '#client/ui/mark.tsx'
import { Menu, MenuItem } from '#client/ui/menu.tsx'
import type { Actions } from './actions.ts'
import { Choices } from './composer/choices.tsx'
import { Composer } from './composer/composer.tsx'
import type { Desk } from './desk.ts'
import { Transcript } from './transcript/transcript.tsx'
import { say } from './words.ts'

export function Workbench(props: { desk: Desk; actions: Actions; onSignedOut(): void }) {
  const desk = props.desk
  const title = createMemo(() => desk.conversation().title || say('newChat'))
  const leave = async () => {
    await signOut().catch(() => undefined)
    props.onSignedOut()
  }
  return (
    <div class="app no-side">
      <main class="main">
        <header class="top">
          <Brand />
          <h1>{title()}</h1>
          <Show when={desk.fixed() && desk.asked()}>
            {(asked) => (
              <span class="fixed-model">
                <Icon name="lock" small />
                {say('modelInGroup', { ...asked() })}
              </span>
            )}
          </Show>
          <span class="flex-1" />
          <Menu label={say('account')} icon="more">
            <MenuItem onSelect={() => desk.open(null)}>{say('newChat')}</MenuItem>
            <MenuItem onSelect={() => void leave()}>{say('signOut')}</MenuItem>
          </Menu>
        </header>
        <Transcript desk={desk} actions={props.actions} />
        <div class="dock">
          <Composer
            of={desk.conversation().id}
            draft={desk.conversation().draft}
            placeholder={say('ask')}
            running={desk.running() !== undefined}
            blocked={desk.asked() === null ? say('noModel') : undefined}
            enterSends
            choices={<Choices desk={desk} actions={props.actions} />}
            onDraft={(draft) => desk.update({ draft })}
            onSend={(text) => props.actions.send(text)}
            onStop={() => {
              const running = desk.running()
              if (running) desk.replies.stop(running.id)
            }}
            onEditLast={() => undefined}
          />
        </div>
      </main>
    </div>
  )
}
