/** Coming in by an invitation. */

import type { StepNeeded } from '#shared/console/session'
import type { InvitationFacts, SignedIn } from '#shared/console/user'
import { type Entry, entryOf } from './account.ts'
import { callApi } from './http.ts'

/** What the invitation is for. Throws ApiError: 404 for one that opens nothing. */
export const lookAtInvitation = (token: string) => callApi<InvitationFacts>('POST', '/api/join/look', { token })

/** Makes an account. Throws ApiError. */
export const joinByInvitation = async (token: string, name: string, password: string): Promise<Entry> =>
  entryOf(await callApi<SignedIn | StepNeeded>('POST', '/api/join', { token, name, password }))

/** Lets the signed-in user into the team. Throws ApiError. */
export const acceptInvitation = (token: string) => callApi<void>('POST', '/api/invitations/accept', { token })
