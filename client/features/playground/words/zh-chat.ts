import type { enChat } from './en-chat.ts'
export const zhChat = {} as Record<keyof typeof enChat, string>
