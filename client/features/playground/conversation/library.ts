/**
 * The user's conversations, on the screen and in the store, synchronised across tabs: each change goes to the store and, over
 * a channel, to the other tabs. A reply marked as running that no tab is running was interrupted.
 */
import { type Accessor, batch, createSignal } from 'solid-js'
import type { Conversation, Message } from './conversation.ts'
import { defaultSettings } from './settings.ts'
import type { Snippet } from './snippet.ts'
import type { Store } from './store.ts'
import { createThread, type Thread } from './thread.ts'

/** Id of the unstarted conversation: it keeps the draft and settings for the next one and appears in no list. */
export const unstartedId = 'new'

type LibraryEvent =
  | { conversations: Conversation[] }
  | { gone: string }
  | { put: Message[] }
  | { removed: Message[] }
  | { whoRuns: string[]; conversation: string }

interface Open {
  thread: Thread
  revision: Accessor<number>
  bump(): void
  state: Accessor<'loading' | 'ready'>
}

/** All conversations of one user. Reading `list`, `get` and `thread` tracks changes. */
export interface Library {
  durable: boolean
  /** Newest first, without the unsent one. Tracks. */
  list: Accessor<Conversation[]>
  get(id: string): Conversation | undefined
  save(conversation: Conversation): void
  /** Removes a conversation; the returned function restores it. */
  remove(id: string): Promise<() => void>
  /** The messages of a conversation, read from the store on first use. Tracks. */
  thread(id: string): { thread: Thread; state: 'loading' | 'ready' }
  put(messages: Message[]): void
  removeMessages(messages: Message[]): void
  /** Adds whole conversations under new ids. */
  adopt(entries: { conversation: Conversation; messages: Message[] }[]): Promise<void>
  messages(id: string): Promise<Message[]>
  search(text: string, signal: AbortSignal): Promise<Map<string, Snippet>>
  removeAll(): Promise<void>
  close(): void
}

const askPauseMs = 500
/** Conversations that are saved and shown together: the list is ordered anew each time. */
const adoptedAtOnce = 500

/**
 * A library over `store`. `found` is what the store held when it was opened; `isRunningHere` says whether this tab is running
 * a reply.
 */
export function createLibrary(store: Store, found: Conversation[], user: string, isRunningHere: (id: string) => boolean): Library {
  const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(`parley-${user}`)
  const [byId, setById] = createSignal<ReadonlyMap<string, Conversation>>(new Map(found.map((one) => [one.id, complete(one)])))
  const open = new Map<string, Open>()
  const broadcast = (event: LibraryEvent) => channel?.postMessage(event)

  const show = (conversations: readonly Conversation[]) =>
    setById((before) => new Map([...before, ...conversations.map((one) => [one.id, one] as const)]))
  const save = async (conversations: Conversation[]) => {
    show(conversations)
    broadcast({ conversations })
    await store.saveConversations(conversations)
  }
  const hide = (id: string) => {
    open.delete(id)
    setById((before) => new Map([...before].filter(([key]) => key !== id)))
  }
  const apply = (messages: Message[], change: (thread: Thread, message: Message) => void) => {
    for (const message of messages) {
      const one = open.get(message.conversation)
      if (one) change(one.thread, message)
    }
    for (const id of new Set(messages.map((message) => message.conversation))) open.get(id)?.bump()
  }
  const put = (messages: Message[]) => {
    apply(messages, (thread, message) => thread.put(message))
    void store.saveMessages(messages)
    broadcast({ put: messages })
  }

  const load = (id: string): Open => {
    const [revision, setRevision] = createSignal(0)
    const [state, setState] = createSignal<'loading' | 'ready'>('loading')
    const one: Open = { thread: createThread(), revision, bump: () => setRevision((before) => before + 1), state }
    open.set(id, one)
    void store.messages(id).then((messages) => {
      // What arrived during the read is newer than what was stored.
      for (const message of messages) if (!one.thread.get(message.id)) one.thread.put(message)
      batch(() => {
        setState('ready')
        one.bump()
      })
      findInterrupted(id, messages)
    })
    return one
  }

  const findInterrupted = (conversation: string, messages: Message[]) => {
    const orphans = messages.filter((message) => isRunning(message) && !isRunningHere(message.id))
    if (orphans.length === 0) return
    const claimed = new Set<string>()
    const listen = (event: MessageEvent<LibraryEvent>) => {
      if ('put' in event.data) for (const message of event.data.put) claimed.add(message.id)
    }
    channel?.addEventListener('message', listen)
    broadcast({ whoRuns: orphans.map((message) => message.id), conversation })
    setTimeout(() => {
      channel?.removeEventListener('message', listen)
      const lost = orphans.filter((message) => !claimed.has(message.id))
      if (lost.length > 0) put(lost.map((message) => ({ ...message, state: 'interrupted' }) as Message))
    }, askPauseMs)
  }

  const receive = ({ data: event }: MessageEvent<LibraryEvent>) => {
    if ('put' in event) apply(event.put, (thread, message) => thread.put(message))
    else if ('removed' in event) apply(event.removed, (thread, message) => void thread.remove(message.id))
    else if ('gone' in event) hide(event.gone)
    else if ('whoRuns' in event) {
      const mine = event.whoRuns.filter(isRunningHere)
      const messages = mine.flatMap((id) => open.get(event.conversation)?.thread.get(id) ?? [])
      if (messages.length > 0) broadcast({ put: messages })
    } else show(event.conversations.filter(({ id }) => id !== unstartedId))
  }
  channel?.addEventListener('message', receive)

  const library: Library = {
    durable: store.durable,
    list: () => [...byId().values()].filter((one) => one.id !== unstartedId).sort((a, b) => b.updatedAt - a.updatedAt),
    get: (id) => byId().get(id),
    save(conversation) {
      void save([conversation])
    },
    async remove(id) {
      const conversation = byId().get(id)
      const messages = await store.messages(id)
      await store.removeConversation(id)
      hide(id)
      broadcast({ gone: id })
      return () => {
        if (conversation) library.save(conversation)
        put(messages)
      }
    },
    thread(id) {
      const one = open.get(id) ?? load(id)
      one.revision()
      return { thread: one.thread, state: one.state() }
    },
    put,
    removeMessages(messages) {
      apply(messages, (thread, message) => void thread.remove(message.id))
      void store.removeMessages(messages)
      broadcast({ removed: messages })
    },
    async adopt(entries) {
      for (let from = 0; from < entries.length; from += adoptedAtOnce) {
        const some = entries.slice(from, from + adoptedAtOnce)
        await store.saveMessages(some.flatMap(({ messages }) => messages))
        await save(some.map(({ conversation }) => conversation))
      }
    },
    messages: (id) => store.messages(id),
    search: (text, signal) => store.search(text, signal),
    async removeAll() {
      for (const id of byId().keys()) broadcast({ gone: id })
      await store.destroy()
      setById(new Map())
    },
    close() {
      channel?.close()
      store.close()
    },
  }
  return library
}

/** Conversations stored by an earlier release may lack newer settings. */
const complete = (one: Conversation): Conversation => ({ ...one, settings: { ...defaultSettings(), ...one.settings } })

const isRunning = (message: Message): boolean => message.role === 'assistant' && message.state === 'running'
