/** Invitations, from the invited person's side. */

import type { StepNeeded } from '#shared/console/session'
import type { InvitationFacts, SignedIn } from '#shared/console/user'
import { type Entry, entryOf } from './account.ts'
import { callApi } from './http.ts'

/** The facts of an invitation. Throws ApiError: 404 for one that is not valid. */
export const lookAtInvitation = (token: string) => callApi<InvitationFacts>('POST', '/api/join/look', { token })

/** Creates an account. Throws ApiError. */
export const joinByInvitation = async (token: string, name: string, password: string): Promise<Entry> =>
  entryOf(await callApi<SignedIn | StepNeeded>('POST', '/api/join', { token, name, password }))

/** Adds the signed-in user to the team. Throws ApiError. */
export const acceptInvitation = (token: string) => callApi<void>('POST', '/api/invitations/accept', { token })
