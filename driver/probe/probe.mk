# SPDX-License-Identifier: GPL-2.0-only
#
# What the kernel that is built for has: no version number tells, as stable
# kernels change as well. To be included at the end of a Kbuild that has
# named its objects, and:
#
#	probe-dir := where this file is
#	probes	  := names of files in that folder, without .c
#
# Each file is compiled with the flags of the module. gaudi_kernel.h, which is
# made before any object, defines GAUDI_HAVE_NAME as 1 or 0.

ccflags-y += -I$(obj)
targets += gaudi_kernel.h
clean-files += gaudi_kernel.h

quiet_cmd_gaudi_probe = PROBE   $@
      cmd_gaudi_probe = \
	$(CONFIG_SHELL) $(probe-dir)/probe.sh $@ $(probe-dir) "$(probes)" \
	$(CC) $(NOSTDINC_FLAGS) $(LINUXINCLUDE) $(KBUILD_CPPFLAGS) \
	$(KBUILD_CFLAGS) -DMODULE -DKBUILD_MODNAME='"probe"'

$(obj)/gaudi_kernel.h: $(probe-dir)/probe.sh \
		$(patsubst %,$(probe-dir)/%.c,$(probes)) \
		$(objtree)/include/generated/autoconf.h FORCE
	$(call if_changed,gaudi_probe)

$(foreach m,$(obj-m:.o=),$(addprefix $(obj)/,$(or $($(m)-y),$(m).o))): \
	$(obj)/gaudi_kernel.h
