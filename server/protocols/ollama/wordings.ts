/** How the endpoints of Ollama are said in the dialects of OpenAI. */
import type { Wording } from '#canonical/wording'
import { chatShape, generateShape, openLines, writeWhole } from './chat-answer.ts'
import { readChat, readGenerate } from './chat-request.ts'

export { embed, embeddings } from './embed.ts'

/** `/api/chat`. */
export const chat: Wording = {
  readRequest: readChat,
  writeAnswer: (body, context) => writeWhole(body, context, chatShape),
  openStream: (context) => openLines(context, chatShape),
}

/** `/api/generate`. */
export const generate: Wording = {
  readRequest: readGenerate,
  writeAnswer: (body, context) => writeWhole(body, context, generateShape),
  openStream: (context) => openLines(context, generateShape),
}
