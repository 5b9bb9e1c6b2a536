-- A database that lost its last commits would give the numbers of lost instances to others, whose leases and calls must not be mixed up.
ALTER TABLE "instances" ALTER COLUMN "id" DROP IDENTITY;
--> statement-breakpoint
ALTER TABLE "instances" ALTER COLUMN "id" SET DEFAULT ('x' || left(replace(gen_random_uuid()::text, '-', ''), 12))::bit(48)::bigint;
