/**
 * Where conversations are stored: IndexedDB of this browser, one database per user, one record per message, so that
 * continuing a long conversation costs no more than a short one. Holds no secrets. When the browser refuses a database (some
 * private windows), everything lives in memory until the page is closed, and `durable` is false.
 */
import type { Conversation, Message } from './conversation.ts'
import { type Snippet, snippetOf } from './snippet.ts'

/** Storage of one user's conversations. All methods may reject when the database fails. */
export interface Store {
  durable: boolean
  conversations(): Promise<Conversation[]>
  messages(conversation: string): Promise<Message[]>
  saveConversations(conversations: readonly Conversation[]): Promise<void>
  saveMessages(messages: readonly Message[]): Promise<void>
  removeMessages(messages: readonly Message[]): Promise<void>
  /** Removes a conversation with its messages. */
  removeConversation(id: string): Promise<void>
  /** Conversations in which a message contains `text`, without regard to case, each with its first match. Stops when aborted. */
  search(text: string, signal: AbortSignal): Promise<Map<string, Snippet>>
  /** Removes everything of this user from this browser. */
  destroy(): Promise<void>
  close(): void
}

const databaseName = (user: string) => `parley-${user}`

/** Opens the user's store; falls back to memory and never rejects. */
export async function openStore(user: string): Promise<Store> {
  try {
    return databaseStore(await openDatabase(databaseName(user)), user)
  } catch {
    return memoryStore()
  }
}

function openDatabase(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(name, 1)
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore('conversations', { keyPath: 'id' })
      opening.result.createObjectStore('messages', { keyPath: ['conversation', 'id'] })
    }
    opening.onsuccess = () => resolve(opening.result)
    opening.onerror = () => reject(opening.error)
    opening.onblocked = () => reject(new DOMException('another tab holds an older version', 'AbortError'))
  })
}

/** All keys of one conversation: arrays sort after strings, so `[]` is the upper bound. */
const allOf = (conversation: string) => IDBKeyRange.bound([conversation], [conversation, []])

function databaseStore(database: IDBDatabase, user: string): Store {
  database.onversionchange = () => database.close()
  const read = <Row>(store: string, range?: IDBKeyRange) =>
    answerOf<Row[]>(
      database
        .transaction(store)
        .objectStore(store)
        .getAll(range ?? null) as IDBRequest<Row[]>,
    )
  const write = (stores: string[], work: (transaction: IDBTransaction) => void) => {
    const transaction = database.transaction(stores, 'readwrite')
    work(transaction)
    // Without an explicit commit, the browser drops the transaction of a page that is closing.
    transaction.commit()
    return doneOf(transaction)
  }
  return {
    durable: true,
    conversations: () => read<Conversation>('conversations'),
    messages: async (conversation) => (await read<Message>('messages', allOf(conversation))).sort((a, b) => a.at - b.at),
    saveConversations: (conversations) =>
      write(['conversations'], (transaction) => {
        for (const conversation of conversations) transaction.objectStore('conversations').put(conversation)
      }),
    saveMessages: (messages) =>
      write(['messages'], (transaction) => {
        for (const message of messages) transaction.objectStore('messages').put(message)
      }),
    removeMessages: (messages) =>
      write(['messages'], (transaction) => {
        for (const message of messages) transaction.objectStore('messages').delete([message.conversation, message.id])
      }),
    removeConversation: (id) =>
      write(['conversations', 'messages'], (transaction) => {
        transaction.objectStore('conversations').delete(id)
        transaction.objectStore('messages').delete(allOf(id))
      }),
    search: (text, signal) => searchIn(database, text.toLowerCase(), signal),
    destroy() {
      database.close()
      return answerOf(indexedDB.deleteDatabase(databaseName(user))).then(() => undefined)
    },
    close: () => database.close(),
  }
}

function searchIn(database: IDBDatabase, text: string, signal: AbortSignal): Promise<Map<string, Snippet>> {
  const found = new Map<string, Snippet>()
  return new Promise((resolve, reject) => {
    const walk = database.transaction('messages').objectStore('messages').openCursor()
    walk.onerror = () => reject(walk.error)
    walk.onsuccess = () => {
      const cursor = walk.result
      if (!cursor || signal.aborted) return resolve(found)
      const message = cursor.value as Message
      const snippet = snippetOf(message.text, text)
      if (snippet) {
        found.set(message.conversation, snippet)
        // One hit is enough: continue after this conversation.
        cursor.continue([message.conversation, []])
      } else cursor.continue()
    }
  })
}

function answerOf<Answer>(request: IDBRequest<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

function doneOf(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onerror = () => reject(transaction.error)
    transaction.onabort = () => reject(transaction.error)
  })
}

/** A store in memory, which lasts as long as the page. */
function memoryStore(): Store {
  const conversations = new Map<string, Conversation>()
  const messages = new Map<string, Message>()
  const of = (id: string) => [...messages.values()].filter((message) => message.conversation === id)
  return {
    durable: false,
    conversations: async () => [...conversations.values()],
    messages: async (id) => of(id).sort((a, b) => a.at - b.at),
    async saveConversations(list) {
      for (const conversation of list) conversations.set(conversation.id, conversation)
    },
    async saveMessages(list) {
      for (const message of list) messages.set(message.id, message)
    },
    async removeMessages(list) {
      for (const message of list) messages.delete(message.id)
    },
    async removeConversation(id) {
      conversations.delete(id)
      for (const message of of(id)) messages.delete(message.id)
    },
    async search(text) {
      const hits = [...messages.values()].flatMap((message): [string, Snippet][] => {
        const snippet = snippetOf(message.text, text.toLowerCase())
        return snippet ? [[message.conversation, snippet]] : []
      })
      return new Map(hits)
    },
    async destroy() {
      conversations.clear()
      messages.clear()
    },
    close: () => undefined,
  }
}
