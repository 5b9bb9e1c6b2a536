/** A place that hears of alerts as a form holds it, and what is sent. */
import {
  type AlertForm,
  type AlertHookPatch,
  type AlertHookRow,
  type AlertKind,
  alertKinds,
  type NewAlertHook,
} from '#shared/console/alert'

/** The fields of the form. */
export interface HookDraft {
  name: string
  form: AlertForm
  /** Empty: the one that is there stays. */
  url: string
  secret: string
  from: string
  /** Addresses with commas between them. */
  to: string
  /** Whether it hears of everything; else of `kinds`. */
  all: boolean
  kinds: string[]
}

/** The kinds that a place can choose; tests reach every place. */
export const chosenKinds = alertKinds.filter((kind): kind is Exclude<AlertKind, 'test'> => kind !== 'test')

/** Forms of robots whose signature has a secret that the vendor shows. */
export const signsItself = (form: AlertForm): boolean => form === 'feishu' || form === 'dingtalk'

/** The form for this place, or for a new one. */
export const draftOf = (row?: AlertHookRow): HookDraft => ({
  ...{ name: row?.name ?? '', form: row?.form ?? 'http', url: '', secret: '' },
  ...{ from: row?.from ?? '', to: row?.to?.join(', ') ?? '' },
  ...{ all: row === undefined || row.kinds === null, kinds: row?.kinds ?? [] },
})

/** The fields that a new place and a change have in common. Empty addresses and secrets are left out. */
function commonFields({ name, form, url, secret, from, to, all, kinds }: HookDraft): AlertHookPatch {
  const receivers = to
    .split(/[,\s]+/)
    .map((one) => one.trim())
    .filter(Boolean)
  return {
    name: name.trim(),
    kinds: all ? null : chosenKinds.filter((kind) => kinds.includes(kind)),
    ...(url.trim() !== '' && { url: url.trim() }),
    ...(signsItself(form) && secret.trim() !== '' && { secret: secret.trim() }),
    ...(form === 'smtp' && { from: from.trim(), to: receivers }),
  }
}

/** What POST takes. */
export const newHookOf = (draft: HookDraft): NewAlertHook => ({
  ...commonFields(draft),
  ...{ name: draft.name.trim(), form: draft.form, url: draft.url.trim() },
})

/** What PATCH takes. */
export const hookPatchOf = (draft: HookDraft): AlertHookPatch => commonFields(draft)
