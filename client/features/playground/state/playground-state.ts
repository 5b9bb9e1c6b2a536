/**
 * The state of the playground without its presentation: the user, the open conversation, and running replies. Screens read its signals
 * and call its functions; they never touch the store or the stream directly.
 */
import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js'
import { currentUser } from '#client/api/account.ts'
import type { Conversation, Message, Reply } from '#client/features/playground/conversation/conversation.ts'
import { createLibrary, type Library, unstartedId } from '#client/features/playground/conversation/library.ts'
import { defaultSettings, type Settings } from '#client/features/playground/conversation/settings.ts'
import type { Store } from '#client/features/playground/conversation/store.ts'
import { type Catalogue, createCatalogue } from '#client/features/playground/models/catalogue.ts'
import { beginOf, buildBody, laterHalf, sentMessages } from '#client/features/playground/reply/request-body.ts'
import { createRunningReplies, type RunningReplies } from '#client/features/playground/reply/running-replies.ts'
import type { UserRow } from '#shared/console/user'
import { settleLate } from './late-charges.ts'
import { findTarget, isThere, type ModelTarget } from './target.ts'

export type { ModelTarget } from './target.ts'

/** State of the playground; accessors track. */
export interface PlaygroundState {
  user: Accessor<UserRow>
  refreshUser(): Promise<void>
  catalogue: Catalogue
  library: Library
  replies: RunningReplies
  conversation: Accessor<Conversation>
  /** The URL names a conversation that this browser does not have. */
  unknown: Accessor<boolean>
  /** Opens a conversation; null opens the unstarted one. */
  open(id: string | null): void
  /** The open branch, root first, as last stored; `message` gives running replies as they are now. */
  path: Accessor<Message[]>
  message(id: string): Message | undefined
  messagesState: Accessor<'loading' | 'ready'>
  /** Group and model of the next request, when both are known. */
  target: Accessor<ModelTarget | null>
  /** The group of the next request; empty while it is not known. */
  group: Accessor<string>
  /** The wallet that pays for the next request, of the user or of a team; undefined until known. */
  wallet: Accessor<{ balance: string; held: string } | undefined>
  /** A first message was sent, so group and model can no longer change. */
  modelLocked: Accessor<boolean>
  /** The model of the open conversation is no longer available, so another one may replace it. */
  modelGone: Accessor<boolean>
  /** Questions of the open branch that are not sent with later ones, because they have no answer. */
  leftOut: Accessor<ReadonlySet<string>>
  /** More than one question is sent, so that older ones can be left out. */
  canTrim(): boolean
  /** The last reply of the open branch, while this tab is running it. */
  running: Accessor<Reply | undefined>
  /** The next request while it is edited as JSON text, or null. */
  rawRequest: Accessor<string | null>
  setRawRequest(text: string | null): void
  /** The session ended while the page was open. */
  lostSession: Accessor<boolean>
  setLostSession(lost: boolean): void
  update(patch: Partial<Conversation>): void
  setSettings(patch: Partial<Settings>): void
  /** The request below `parent` as JSON text. Throws SyntaxError when tools or schema are not JSON. */
  bodyFor(conversation: string, parent: string | null, of: ModelTarget): string
}

/** An unstarted conversation. */
export const blankConversation = (settings: Settings = defaultSettings()): Conversation => ({
  id: unstartedId,
  title: '',
  named: false,
  pinned: false,
  createdAt: Date.now(),
  updatedAt: Date.now(),
  group: null,
  model: null,
  settings,
  draft: '',
  choice: {},
})

/** Inputs for creating the state. */
export interface PlaygroundStart {
  user: UserRow
  store: Store
  /** The stored conversations. */
  found: Conversation[]
  /** The conversation in the URL. */
  opened: Accessor<string | undefined>
  open(id: string | null): void
}

/** Milliseconds after leaving the page until its state is closed. */
const leftMs = 30_000

/** The state for one signed-in user. Must be called inside a reactive owner. */
export function createPlaygroundState(start: PlaygroundStart): PlaygroundState {
  const [user, setUser] = createSignal(start.user)
  const [rawRequest, setRawRequest] = createSignal<string | null>(null)
  const [lostSession, setLostSession] = createSignal(false)
  const replies = createRunningReplies((reply) => library.put([reply]))
  const library: Library = createLibrary(start.store, start.found, start.user.id, (id) => replies.has(id))
  const abandon = () => replies.abandon()
  addEventListener('pagehide', abandon)
  // Replies continue after the page is left, and deletions can be undone for a moment. After that everything is released.
  const leave = (): unknown =>
    setTimeout(() => {
      if (replies.ids().size > 0) leave()
      else {
        removeEventListener('pagehide', abandon)
        library.close()
      }
    }, leftMs)
  onCleanup(() => void leave())
  settleLate(library, replies, () => start.opened() ?? unstartedId)

  const unknown = createMemo(() => start.opened() !== undefined && library.get(start.opened() ?? '') === undefined)
  const id = createMemo(() => (unknown() ? unstartedId : (start.opened() ?? unstartedId)))
  const conversation = createMemo(() => library.get(id()) ?? { ...blankConversation(), id: id() })
  const team = createMemo(() => conversation().settings.team)
  const catalogue = createCatalogue(team)
  const ownGroup = () => (team() === undefined ? user().group : catalogue.team()?.group)
  const opened = createMemo(() => library.thread(id()), undefined, { equals: false })
  const choice = createMemo(() => conversation().choice)
  const path = createMemo(() => opened().thread.path(choice()))
  const modelLocked = createMemo(() => opened().thread.size() > 0)
  const target = createMemo(
    (): ModelTarget | null =>
      findTarget({
        conversation: conversation(),
        begun: modelLocked(),
        lastUsed: library.list()[0],
        ownGroup: ownGroup(),
        catalogue,
      }),
    null,
    { equals: (a, b) => a?.group === b?.group && a?.model === b?.model },
  )
  const modelGone = createMemo(() => {
    const of = target()
    return modelLocked() && of !== null && isThere(catalogue, of.group, of.model) === false
  })
  const leftOut = createMemo(() => {
    const sent = sentMessages(path()).map((message) => message.id)
    // The cut-off is marked once, where the rest begins.
    const later = path().slice(beginOf(path()))
    const all = new Set(sent)
    return new Set(later.flatMap((message) => (message.role === 'user' && !all.has(message.id) ? [message.id] : [])))
  })
  // The edited request belongs to the open conversation.
  createEffect(on(id, () => setRawRequest(null), { defer: true }))
  const update = (patch: Partial<Conversation>) => library.save({ ...conversation(), ...patch })

  return {
    user,
    async refreshUser() {
      const now = await currentUser().catch(() => undefined)
      if (now !== undefined) setLostSession(now === null)
      if (now) setUser(now.user)
      await catalogue.reloadTeam()
    },
    catalogue,
    library,
    replies,
    conversation,
    unknown,
    open: start.open,
    path,
    message(messageId) {
      return replies.running(messageId) ?? opened().thread.get(messageId)
    },
    messagesState: () => opened().state,
    target,
    group: () => target()?.group ?? conversation().group ?? ownGroup() ?? '',
    wallet: () => (team() === undefined ? user() : catalogue.team()),
    modelLocked,
    modelGone,
    leftOut,
    canTrim: () => laterHalf(path()) !== undefined,
    running: createMemo(() => {
      const last = path().at(-1)
      return last?.role === 'assistant' && replies.ids().has(last.id) ? last : undefined
    }),
    rawRequest,
    setRawRequest,
    lostSession,
    setLostSession,
    update,
    setSettings(patch) {
      const settings = { ...conversation().settings, ...patch }
      update({ settings })
      // The next new conversation starts with the settings chosen last.
      if (id() !== unstartedId) library.save({ ...(library.get(unstartedId) ?? blankConversation()), settings })
    },
    bodyFor(conversationId, parent, of) {
      const settings = library.get(conversationId)?.settings ?? defaultSettings()
      const messages = library.thread(conversationId).thread.lineage(parent)
      return JSON.stringify(buildBody(of, settings, messages, catalogue.model(of.group, of.model)), null, 2)
    },
  }
}
