/**
 * The playground: choose a group and a model, chat, see every step. This file opens the store and creates the state; what a
 * person can do is in `state/actions`, and the screen begins in `layout`.
 */
import { createResource, Show } from 'solid-js'
import { openStore, type Store } from '#client/features/playground/conversation/store.ts'
import { createActions } from '#client/features/playground/state/actions.ts'
import { keepsOnServer } from '#client/features/playground/state/keep-choice.ts'
import { createPlaygroundState, type PlaygroundStart } from '#client/features/playground/state/playground-state.ts'
import type { UserRow } from '#shared/console/user'
import { PlaygroundLayout } from './layout.tsx'

interface PageProps {
  user: UserRow
  /** The conversation in the URL. */
  conversation: string | undefined
  onOpen(id: string | null): void
  onSignedOut(): void
}

/** The playground of a signed-in user, with the conversation named in the URL. */
export function PlaygroundPage(props: PageProps) {
  const [kept] = createResource(async () => {
    const store = await storeOf(props.user.id)
    return { store, found: await store.conversations() }
  })
  return (
    <Show when={kept()} keyed>
      {({ store, found }) => (
        <LoadedPlayground
          start={{ user: props.user, store, found, opened: () => props.conversation, open: props.onOpen }}
          onSignedOut={props.onSignedOut}
        />
      )}
    </Show>
  )
}

/** The conversations of this browser, and those on the server if the user keeps them there. */
async function storeOf(user: string): Promise<Store> {
  const local = await openStore(user)
  if (!local.durable || !keepsOnServer(user)) return local
  return import('./keeping/server-copy.ts').then(
    ({ withServerCopy }) => withServerCopy(local, user),
    // Offline, the browser's own conversations are available.
    () => local,
  )
}

function LoadedPlayground(props: { start: PlaygroundStart; onSignedOut(): void }) {
  const playground = createPlaygroundState(props.start)
  return <PlaygroundLayout playground={playground} actions={createActions(playground)} onSignedOut={props.onSignedOut} />
}
