import type { ChannelSettings } from './settings-draft.ts'

/** Props shared by the fields of a channel's form. */
export interface Fields {
  form: ChannelSettings
  readonly: boolean
  /** The error of a field. */
  wrong(name: keyof ChannelSettings): string | undefined
  onChange(part: Partial<ChannelSettings>): void
}
