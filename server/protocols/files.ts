/** The registry of files: how each protocol lists them, and where a request of each format names one. */
import type { FilePlaceIn, FileWriter } from '#canonical/kept-file'
import { anthropicFiles, messagesFile } from '#protocols/anthropic/files'
import { geminiFile, geminiFiles } from '#protocols/gemini/files'
import { chatFile, imageFile, openaiFiles, responsesFile } from '#protocols/openai/files'
import type { Wire } from '#shared/ids'

/** Writers by the envelope of their protocol. */
export const fileWriters = { chat: openaiFiles, messages: anthropicFiles, gemini: geminiFiles } satisfies Record<string, FileWriter>

/** Where requests name files; formats without an entry name none. */
export const filePlaces: Partial<Record<Wire, FilePlaceIn>> = {
  chat: chatFile,
  responses: responsesFile,
  messages: messagesFile,
  gemini: geminiFile,
  openai: imageFile,
}

export { readCompletion, readUpload, writePart, writeUpload } from '#protocols/openai/uploads'
