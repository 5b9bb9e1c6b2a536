/** The registry of conversations that clients make by themselves: one protocol has them. */
import * as openai from '#protocols/openai/conversations'

const { conversationIn, demandItems, inConversation, keptItem, readConversation, shownItem, twoPasts, writeConversation } = openai

/** The functions to read and write conversations. */
export const conversationWords = {
  conversationIn,
  demandItems,
  inConversation,
  keptItem,
  readConversation,
  shownItem,
  twoPasts,
  writeConversation,
}
