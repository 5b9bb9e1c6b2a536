/** The form of an alert destination, and what is sent for it. */
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
  /** Empty keeps the current one. */
  url: string
  secret: string
  from: string
  /** Comma-separated addresses. */
  to: string
  /** Whether it receives everything; otherwise only `kinds`. */
  all: boolean
  kinds: string[]
}

/** The kinds that a destination can choose; tests go to every destination. */
export const chosenKinds = alertKinds.filter((kind): kind is Exclude<AlertKind, 'test'> => kind !== 'test')

/** Chat bots with a signing secret that their vendor issues. */
export const signsItself = (form: AlertForm): boolean => form === 'feishu' || form === 'dingtalk'

/** The form for this destination, or for a new one. */
export const draftOf = (row?: AlertHookRow): HookDraft => ({
  ...{ name: row?.name ?? '', form: row?.form ?? 'http', url: '', secret: '' },
  ...{ from: row?.from ?? '', to: row?.to?.join(', ') ?? '' },
  ...{ all: row === undefined || row.kinds === null, kinds: row?.kinds ?? [] },
})

/** The fields that POST and PATCH have in common. Empty addresses and secrets are left out. */
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
