/**
 * What the playground knows and does, without what it looks like: the open conversation and the actions on it. Screens
 * read its signals and call its actions; they never touch the store, the stream or each other.
 */
import { type Accessor, createMemo, createSignal } from 'solid-js'
import { currentUser } from '#client/api/account.ts'
import type { Conversation, Message, Reply } from '#client/features/playground/conversation/conversation.ts'
import { createLibrary, type Library, unstartedId } from '#client/features/playground/conversation/library.ts'
import { defaultSettings, type Settings } from '#client/features/playground/conversation/settings.ts'
import type { Store } from '#client/features/playground/conversation/store.ts'
import { type Catalogue, createCatalogue } from '#client/features/playground/models/catalogue.ts'
import { buildBody } from '#client/features/playground/reply/request-body.ts'
import { createRunningReplies, type RunningReplies } from '#client/features/playground/reply/running-replies.ts'
import type { UserRow } from '#shared/console/user'

/** Group and model of a request. */
export interface ModelTarget {
  group: string
  model: string
}

export interface PlaygroundState {
  user: Accessor<UserRow>
  refreshUser(): Promise<void>
  catalogue: Catalogue
  library: Library
  replies: RunningReplies
  conversation: Accessor<Conversation>
  /** Opens a conversation, or with null the one that has not begun. */
  open(id: string | null): void
  /** The open branch, root first, as it was last put; `message` has running replies as they are now. */
  path: Accessor<Message[]>
  message(id: string): Message | undefined
  messagesState: Accessor<'loading' | 'ready'>
  /** Group and model of the next request, when both are known. */
  target: Accessor<ModelTarget | null>
  /** A first message was sent: group and model stay. */
  modelLocked: Accessor<boolean>
  /** The last reply of the open branch, while this tab runs it. */
  running: Accessor<Reply | undefined>
  /** JSON text that replaces the built request, or null. */
  rawRequest: Accessor<string | null>
  setRawRequest(text: string | null): void
  /** The session ended while the page was open. */
  lostSession: Accessor<boolean>
  setLostSession(lost: boolean): void
  update(patch: Partial<Conversation>): void
  setSettings(patch: Partial<Settings>): void
  /** The request below `parent` as JSON text. Throws SyntaxError when tools or schema are no JSON. */
  bodyFor(conversation: string, parent: string | null, of: ModelTarget): string
}

/** A conversation that has not begun. */
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

export interface PlaygroundStart {
  user: UserRow
  store: Store
  /** What the store held. */
  found: Conversation[]
  /** The conversation in the address. */
  opened: Accessor<string | undefined>
  open(id: string | null): void
}

export function createPlaygroundState(start: PlaygroundStart): PlaygroundState {
  const [user, setUser] = createSignal(start.user)
  const [rawRequest, setRawRequest] = createSignal<string | null>(null)
  const [lostSession, setLostSession] = createSignal(false)
  const catalogue = createCatalogue()
  const replies = createRunningReplies((reply) => library.put([reply]))
  const library: Library = createLibrary(start.store, start.found, start.user.id, (id) => replies.has(id))
  addEventListener('pagehide', () => replies.abandon())

  const id = createMemo(() => start.opened() ?? unstartedId)
  const conversation = createMemo(() => library.get(id()) ?? { ...blankConversation(), id: id() })
  const opened = createMemo(() => library.thread(id()), undefined, { equals: false })
  const choice = createMemo(() => conversation().choice)
  const path = createMemo(() => opened().thread.path(choice()))
  const modelLocked = createMemo(() => opened().thread.size() > 0)
  const target = createMemo(
    (): ModelTarget | null => {
      const { group, model } = conversation()
      const inGroup = group ?? user().group
      const rows = model === null ? catalogue.models(inGroup) : undefined
      const known = model ?? (rows?.state === 'ready' ? rows.rows[0]?.id : undefined)
      return known === undefined ? null : { group: inGroup, model: known }
    },
    null,
    { equals: (a, b) => a?.group === b?.group && a?.model === b?.model },
  )
  const update = (patch: Partial<Conversation>) => library.save({ ...conversation(), ...patch })

  return {
    user,
    async refreshUser() {
      const now = await currentUser().catch(() => undefined)
      if (now === null) setLostSession(true)
      else if (now) setUser(now)
    },
    catalogue,
    library,
    replies,
    conversation,
    open: start.open,
    path,
    message(messageId) {
      return replies.running(messageId) ?? opened().thread.get(messageId)
    },
    messagesState: () => opened().state,
    target,
    modelLocked,
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
      // The next new conversation begins with what was last chosen.
      if (id() !== unstartedId) library.save({ ...(library.get(unstartedId) ?? blankConversation()), settings })
    },
    bodyFor(conversationId, parent, of) {
      const custom = rawRequest()
      if (custom !== null) return custom
      const settings = library.get(conversationId)?.settings ?? defaultSettings()
      const messages = library.thread(conversationId).thread.lineage(parent)
      return JSON.stringify(buildBody(of, settings, messages, catalogue.model(of.group, of.model)), null, 2)
    },
  }
}
