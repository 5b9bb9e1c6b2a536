/**
 * Optional server copy of conversations: a store on top of the browser's. Changes are sent a
 * moment later, as whole conversations; changes from elsewhere are loaded when the page opens. Offline, the browser's store keeps working,
 * and unsent changes are sent with the next change or at the next start. Conversations that are too large stay in the browser only.
 */
import { ApiError, callApi } from '#client/api/http.ts'
import type { Conversation, Message } from '#client/features/playground/conversation/conversation.ts'
import type { Store } from '#client/features/playground/conversation/store.ts'
import { readLocalStorage, writeLocalStorage } from '#client/ui/local-storage.ts'
import type { Page } from '#shared/console/model'
import type { KeptConversation, KeptRow } from '#shared/console/user'

/** Debounce of sending changes, in milliseconds. */
const pauseMs = 1_500
/** The server's limit, in characters. */
const mostText = 900_000
/** The unstarted conversation stays in the browser. */
const unstarted = 'new'

const sentName = (user: string) => `kept-${user}`

/** The browser's store with a server copy. Resolves once changes from elsewhere are in the browser's store. */
export async function withServerCopy(local: Store, user: string): Promise<Store> {
  /** Conversations on the server, with the change time of their server copy in milliseconds. */
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
      // Removed in the meantime.
      if (!waiting.delete(conversation.id)) continue
      await send(conversation).catch((thrown: unknown) => {
        // A full quota stays full: only the next change retries.
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

  /** Pulls new conversations, removes those deleted on the server, and sends those it lacks. */
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
      // No longer on the server: deleted in another browser.
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
    /** Destroys the browser's store only; the server copy stays. */
    async destroy() {
      clearTimeout(timer)
      sent.clear()
      writeLocalStorage(sentName(user), null)
      await local.destroy()
    },
    /** Pending changes are sent when the store is opened next. */
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

/** Written by this program and sealed for this user: only the shape is checked. */
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
