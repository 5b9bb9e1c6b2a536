/**
 * Conversations that are kept on the server too, for those who choose it: a store over that of the browser. What changes here is sent a
 * moment later, whole; what changed elsewhere is read when the page opens. Without a network the browser's own store goes on, and what was
 * not sent is sent with the next change or at the next start. Too large ones stay in the browser.
 */
import { ApiError, callApi } from '#client/api/http.ts'
import type { Conversation, Message } from '#client/features/playground/conversation/conversation.ts'
import type { Store } from '#client/features/playground/conversation/store.ts'
import { readLocalStorage, writeLocalStorage } from '#client/ui/local-storage.ts'
import type { Page } from '#shared/console/model'
import type { KeptConversation, KeptRow } from '#shared/console/user'

/** Milliseconds after a change until it is sent. */
const pauseMs = 1_500
/** The server takes no more characters than this. */
const mostText = 900_000
/** The conversation that has not begun stays in the browser. */
const unstarted = 'new'

const sentName = (user: string) => `kept-${user}`

/** The store of the browser, with a copy on the server. Resolves when what changed elsewhere is in the browser's store. */
export async function withServerCopy(local: Store, user: string): Promise<Store> {
  /** Conversations that the server has, and when they were changed as it knows them, in milliseconds. */
  const sent = new Map<string, number>(parsed(readLocalStorage(sentName(user))))
  const waiting = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const remember = () => writeLocalStorage(sentName(user), JSON.stringify([...sent]))

  const send = async (conversation: Conversation): Promise<void> => {
    const { id } = conversation
    const changedAt = Date.now()
    const body: KeptConversation = {
      changedAt: new Date(changedAt).toISOString(),
      text: JSON.stringify({ conversation, messages: await local.messages(id) }),
    }
    if (body.text.length > mostText) return
    await callApi('PUT', pathOf(id), body)
    sent.set(id, changedAt)
  }
  const sendAll = async () => {
    for (const conversation of await local.conversations()) {
      // What is removed meanwhile waits no longer.
      if (!waiting.delete(conversation.id)) continue
      await send(conversation).catch((thrown: unknown) => {
        // A quota that is full stays so: the next change tries again.
        if (thrown instanceof ApiError && thrown.code === 'offline') waiting.add(conversation.id)
      })
    }
    remember()
  }
  const changed = (id: string) => {
    if (id === unstarted) return
    waiting.add(id)
    clearTimeout(timer)
    timer = setTimeout(() => void sendAll(), pauseMs)
  }
  const changedAll = (messages: readonly Message[]) => {
    for (const message of messages) changed(message.conversation)
  }
  const sendWaiting = () => waiting.size > 0 && void sendAll()
  addEventListener('online', sendWaiting)

  await readFromServer().catch(() => undefined)

  /** Takes what is new on the server, removes what was removed there, and sends what it does not have. */
  async function readFromServer(): Promise<void> {
    const rows = await keptRows()
    const here = new Map((await local.conversations()).map((one) => [one.id, one]))
    for (const { id, changedAt } of rows) {
      const at = Date.parse(changedAt)
      if (here.has(id) && (sent.get(id) ?? 0) >= at) continue
      const found = entryOf(await callApi<KeptConversation>('GET', pathOf(id)))
      if (found === undefined || found.conversation.id !== id) continue
      await local.removeConversation(id)
      await local.saveMessages(found.messages)
      await local.saveConversations([found.conversation])
      sent.set(id, at)
    }
    const known = new Set(rows.map(({ id }) => id))
    for (const id of here.keys()) {
      if (known.has(id) || id === unstarted) continue
      // What the server had and has no longer was deleted in another browser.
      if (sent.delete(id)) await local.removeConversation(id)
      else changed(id)
    }
    remember()
  }

  return {
    ...local,
    async saveConversations(conversations) {
      await local.saveConversations(conversations)
      for (const { id } of conversations) changed(id)
    },
    async saveMessages(messages) {
      await local.saveMessages(messages)
      changedAll(messages)
    },
    async removeMessages(messages) {
      await local.removeMessages(messages)
      changedAll(messages)
    },
    async removeConversation(id) {
      await local.removeConversation(id)
      waiting.delete(id)
      sent.delete(id)
      remember()
      await callApi('DELETE', pathOf(id)).catch(() => undefined)
    },
    /** The browser's part only; what is on the server stays there. */
    async destroy() {
      clearTimeout(timer)
      sent.clear()
      writeLocalStorage(sentName(user), null)
      await local.destroy()
    },
    /** What still waits is sent by whoever opens the store next. */
    close() {
      clearTimeout(timer)
      removeEventListener('online', sendWaiting)
      local.close()
    },
  }
}

async function keptRows(): Promise<KeptRow[]> {
  const rows: KeptRow[] = []
  for (let after: string | null = ''; after !== null; ) {
    const page: Page<KeptRow> = await callApi('GET', `/api/conversations?limit=200${after && `&after=${encodeURIComponent(after)}`}`)
    rows.push(...page.data)
    after = page.next
  }
  return rows
}

const pathOf = (id: string) => `/api/conversations/${encodeURIComponent(id)}`

/** What this program wrote itself, sealed for this user: only its form is checked. */
function entryOf({ text }: KeptConversation): { conversation: Conversation; messages: Message[] } | undefined {
  const value = parsed<unknown>(text) as { conversation?: Conversation; messages?: Message[] } | undefined
  return typeof value?.conversation?.id === 'string' && Array.isArray(value.messages)
    ? { conversation: value.conversation, messages: value.messages }
    : undefined
}

function parsed<Value = [string, number][]>(text: string | null): Value {
  try {
    return JSON.parse(text ?? '[]') as Value
  } catch {
    return [] as Value
  }
}
