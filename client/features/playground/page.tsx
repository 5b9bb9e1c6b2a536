/**
 * The playground: choose a group and a model, chat, see every step. This file opens the store and creates the state; what a
 * person can do is in `state/actions`, and the screen begins in `layout`.
 */
import { createResource, Show } from 'solid-js'
import { openStore } from '#client/features/playground/conversation/store.ts'
import { createActions } from '#client/features/playground/state/actions.ts'
import { createPlaygroundState, type PlaygroundStart } from '#client/features/playground/state/playground-state.ts'
import type { UserRow } from '#shared/console/user'
import { PlaygroundLayout } from './layout.tsx'

interface PageProps {
  user: UserRow
  /** The conversation in the address. */
  conversation: string | undefined
  onOpen(id: string | null): void
  onSignedOut(): void
}

/** The playground of a signed-in user, with the conversation named in the address. */
export function PlaygroundPage(props: PageProps) {
  const [kept] = createResource(async () => {
    const store = await openStore(props.user.id)
    return { store, found: await store.conversations() }
  })
  return (
    <Show when={kept()} keyed>
      {({ store, found }) => (
        <WithDesk
          start={{ user: props.user, store, found, opened: () => props.conversation, open: props.onOpen }}
          onSignedOut={props.onSignedOut}
        />
      )}
    </Show>
  )
}

function WithDesk(props: { start: PlaygroundStart; onSignedOut(): void }) {
  const playground = createPlaygroundState(props.start)
  return <PlaygroundLayout playground={playground} actions={createActions(playground)} onSignedOut={props.onSignedOut} />
}
