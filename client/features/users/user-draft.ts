/** The form of a user, and what is sent for it. */
import { type Bounds, boundsOf, readBounds } from '#client/console/limits.ts'
import type { AccountRow, UserPatch } from '#shared/console/user'

/** The fields of the form. */
export interface UserDraft {
  name: string
  role: 'user' | 'admin'
  password: string
  group: string
  groups: string[]
  bounds: Bounds
}

/** An empty form, or the form of a user. */
export const draftOf = (row?: AccountRow): UserDraft => ({
  name: row?.name ?? '',
  role: row?.role ?? 'user',
  password: '',
  group: row?.group ?? 'default',
  groups: [...(row?.groups ?? ['default'])],
  bounds: boundsOf(row),
})

/** The patch. An empty password is left out. */
export const fieldsOf = (draft: UserDraft): UserPatch & { name: string } => ({
  name: draft.name.trim(),
  role: draft.role,
  ...(draft.password !== '' && { password: draft.password }),
  group: draft.group,
  groups: [...new Set([draft.group, ...draft.groups])],
  ...readBounds(draft.bounds),
})

/** The fields in which two forms differ. */
export function changesBetween(before: UserDraft, after: UserDraft): (keyof UserPatch)[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)]
  const names = ['name', 'role', 'password', 'group', 'groups', 'budget', 'limits'] as const
  return names.filter((name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]))
}
