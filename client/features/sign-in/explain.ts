/** Error messages for failed sign-ins. */
import { ApiError } from '#client/api/http.ts'
import { t } from './messages.ts'

/** The message for a failure. */
export function explain(thrown: unknown): string {
  if (!(thrown instanceof ApiError)) return t('failed', { code: 'unexpected' })
  if (thrown.code === 'offline') return t('offline')
  if (thrown.code === 'passkey_refused') return t('passkeyRefused')
  if (thrown.code === 'not_signed_in') return t('stepOver')
  if (thrown.status === 429) return t('tooMany')
  if (thrown.status === 502) return t('providerUnavailable')
  return thrown.status === 401 ? t('wrong') : t('failed', { code: thrown.code })
}
