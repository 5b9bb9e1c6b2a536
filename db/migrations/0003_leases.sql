CREATE TABLE "instances" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "instances_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"folder" text NOT NULL,
	"state" text DEFAULT 'live' NOT NULL,
	"seq" bigint DEFAULT 0 NOT NULL,
	"seen" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "leases" (
	"instance" bigint NOT NULL,
	"wallet_id" text NOT NULL,
	"amount" bigint NOT NULL,
	CONSTRAINT "leases_instance_wallet_id_pk" PRIMARY KEY("instance","wallet_id"),
	CONSTRAINT "leases_not_negative" CHECK ("leases"."amount" >= 0)
);
--> statement-breakpoint
ALTER TABLE "leases" ADD CONSTRAINT "leases_instance_instances_id_fk" FOREIGN KEY ("instance") REFERENCES "public"."instances"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "leases" ADD CONSTRAINT "leases_wallet_id_wallets_id_fk" FOREIGN KEY ("wallet_id") REFERENCES "public"."wallets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "leases_wallet" ON "leases" USING btree ("wallet_id");