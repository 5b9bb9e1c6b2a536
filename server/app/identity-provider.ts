/** The identity provider configured in the environment. */
import { createIdentityProvider, type IdentityProvider } from '#accounts/identity/provider'
import { callbackPath } from '#http/console/accounts/single-sign-on'
import type { Config } from './config.ts'

/** Undefined where none is configured. Does not contact it yet. */
export function identityProviderOf(config: Config, publicUrl: URL): IdentityProvider | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, oidcGroups: groupsClaim } = config
  if (issuer === undefined || clientId === undefined) return undefined
  return createIdentityProvider({ issuer, clientId, clientSecret, groupsClaim, redirectUri: new URL(callbackPath, publicUrl) })
}
