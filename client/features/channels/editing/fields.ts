import type { ChannelSettings } from './settings-draft.ts'

/** What the fields of a channel's form share. */
export interface Fields {
  form: ChannelSettings
  readonly: boolean
  /** What is wrong with a field. */
  wrong(name: keyof ChannelSettings): string | undefined
  onChange(part: Partial<ChannelSettings>): void
}
