/**
 * Popular services and local servers; all copy the Chat API, some also others. One row each. `read` lists where URL, dialects and
 * quirks were read, on 2026-11-20; nothing was run against the real service. A quirk without a source is left out, and a dialect that
 * a row's sources do not name is not in its defaults.
 */
import type { ServiceId } from '#shared/ids'
import { chineseServices } from './china.ts'
import { codingPlans } from './coding-plans.ts'
import { hostedServices } from './hosted.ts'
import { localServices } from './local.ts'
import type { Service } from './service.ts'

/** The rows, by id. */
export const services: Record<ServiceId, Service> = { ...hostedServices, ...chineseServices, ...codingPlans, ...localServices }
