/** Conversations as the playground keeps them in the browser. */

/** A conversation with its messages, as the browser stores them. */
export interface StoredConversation {
  conversation: unknown
  messages: readonly unknown[]
}

/** Puts conversations into the store of the browser in which it runs, by `page.evaluate`; the page shows them when it is read again. */
export async function putConversations(all: readonly StoredConversation[]): Promise<void> {
  const name = (await indexedDB.databases()).find((one) => one.name?.startsWith('parley-'))?.name ?? ''
  await new Promise((resolve, reject) => {
    const opening = indexedDB.open(name)
    opening.onsuccess = () => {
      const writing = opening.result.transaction(['conversations', 'messages'], 'readwrite')
      for (const { conversation, messages } of all) {
        writing.objectStore('conversations').put(conversation)
        for (const message of messages) writing.objectStore('messages').put(message)
      }
      writing.oncomplete = resolve
      writing.onerror = reject
    }
  })
}
